-- Health of a SchedulerProfile for Argo CD. The status follows kstatus: Ready is the summary, Stalled means that no retry
-- helps, Reconciling that work goes on, and observedGeneration says which spec all of that is about.

local function condition(name)
  for _, one in ipairs((obj.status or {}).conditions or {}) do
    if one.type == name then
      return one
    end
  end
  return {status = "Unknown"}
end

local function told(one)
  return (one.reason or "") .. ": " .. (one.message or "")
end

local generation = obj.metadata.generation
local observed = (obj.status or {}).observedGeneration
local ready = condition("Ready")
local stalled = condition("Stalled")
local reconciling = condition("Reconciling")

if obj.metadata.deletionTimestamp ~= nil then
  return {status = "Progressing", message = "the profile is being deleted"}
end
if obj.spec ~= nil and obj.spec.suspend == true then
  return {status = "Suspended", message = "the profile is suspended; its engines go on as they are"}
end
if observed == nil then
  return {status = "Progressing", message = "waiting for the operator"}
end
if generation ~= nil and observed ~= generation then
  return {status = "Progressing", message = "waiting for the operator to see generation " .. generation}
end
if stalled.status == "True" then
  return {status = "Degraded", message = told(stalled)}
end
if reconciling.status == "True" then
  return {status = "Progressing", message = told(reconciling)}
end
if ready.status == "True" then
  return {status = "Healthy", message = ready.message or ""}
end
if ready.status == "False" then
  return {status = "Degraded", message = told(ready)}
end
return {status = "Progressing", message = "waiting for the operator"}
