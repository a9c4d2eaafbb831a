{{/* Labels of every object. Takes (list root component); the component may be empty. */}}
{{- define "pointsman.labels" -}}
{{- $root := index . 0 -}}
{{- $labels := dict
  "helm.sh/chart" (printf "%s-%s" $root.Chart.Name ($root.Chart.Version | replace "+" "_"))
  "app.kubernetes.io/managed-by" $root.Release.Service
  "app.kubernetes.io/instance" $root.Release.Name
  "app.kubernetes.io/version" $root.Chart.AppVersion -}}
{{- with index . 1 }}{{ $_ := set $labels "app.kubernetes.io/component" . }}{{ end -}}
{{- $_ := set $labels "app.kubernetes.io/name" "pointsman" -}}
{{- mergeOverwrite (deepCopy $root.Values.extraLabels) $labels | toYaml -}}
{{- end -}}

{{/* Labels by which the operator's pods are found; they never change. */}}
{{- define "pointsman.operatorSelector" -}}
app.kubernetes.io/component: operator
app.kubernetes.io/name: pointsman
{{- end -}}

{{/* The image of the operator, which is also that of engines whose profile names none. */}}
{{- define "pointsman.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Egress that operator and engines need: names, and the API server. */}}
{{- define "pointsman.egress" -}}
- ports:
    - {protocol: UDP, port: 53}
    - {protocol: TCP, port: 53}
- ports:
{{- range .Values.networkPolicy.apiServer.ports }}
    - {protocol: TCP, port: {{ . }}}
{{- end }}
{{- with .Values.networkPolicy.apiServer.cidrs }}
  to:
{{- range . }}
    - ipBlock: {cidr: {{ . | quote }}}
{{- end }}
{{- end }}
{{- end -}}

{{/* Ingress that operator and engines need: health for the kubelet, metrics for whoever collects them. */}}
{{- define "pointsman.ingress" -}}
- ports:
    - {protocol: TCP, port: 8080}
{{- with .Values.networkPolicy.clients }}
  from:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}
