// Secrets
