module gcp-api

go 1.25.0

require google.golang.org/api v0.258.0
