// The Service bb of Linkerd's guides, whose own module is in no proxy: `bb terminus` answers HTTP/1 as buoyantio/bb does.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
)

func main() {
	flags := flag.NewFlagSet("terminus", flag.ExitOnError)
	port := flags.Int("h1-server-port", 8080, "port to serve HTTP/1 on")
	text := flags.String("response-text", "", "payload of each answer")
	if len(os.Args) < 2 || os.Args[1] != "terminus" {
		log.Fatal("bb knows no command but terminus")
	}
	_ = flags.Parse(os.Args[2:])
	handle := func(answer http.ResponseWriter, _ *http.Request) {
		body, _ := json.Marshal(struct {
			RequestUID string `json:"requestUID"`
			Payload    string `json:"payload"`
		}{fmt.Sprintf("in:http-sid:terminus-grpc:-1-h1:%d-%d", *port, rand.IntN(1e9)), *text})
		_, _ = answer.Write(body)
	}
	log.Fatal(http.ListenAndServe(fmt.Sprintf(":%d", *port), http.HandlerFunc(handle)))
}
