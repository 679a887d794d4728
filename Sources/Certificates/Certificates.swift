// Certificates
