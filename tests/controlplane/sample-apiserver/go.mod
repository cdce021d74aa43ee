// Stands in for k8s.io/sample-apiserver, which the module graph names and nothing imports.
module k8s.io/sample-apiserver

go 1.25.0
