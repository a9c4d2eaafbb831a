"""What rules about volumes share: which claims a pod uses, which volume fits a claim, what is to be set aside."""
