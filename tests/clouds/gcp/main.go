// Command gcp-api makes RSA keys for the stand-in of Google's token server: private keys have no place in a repository.
//
// The folder of its build also holds the description of the compute API, out of the module that go.mod requires.
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"log"
	"os"
	"strconv"

	// Its module holds the description; what nobody imports is not downloaded.
	_ "google.golang.org/api/googleapi"
)

type pair struct {
	// Private is a PKCS #8 key in PEM, as Google gives it out.
	Private string `json:"private"`
	// Public is a PKCS #1 key in DER.
	Public []byte `json:"public"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gcp-api NUMBER-OF-KEYS")
	}
	number, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	pairs := make([]pair, number)
	for i := range pairs {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			log.Fatal(err)
		}
		private, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			log.Fatal(err)
		}
		pairs[i] = pair{
			Private: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
			Public:  x509.MarshalPKCS1PublicKey(&key.PublicKey),
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(pairs); err != nil {
		log.Fatal(err)
	}
}
