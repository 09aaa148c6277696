// A gRPC server and its client, whose Service is the one of gRPC's own interoperability tests. The client prints a line for
// each answer, the name of the server, or a line that begins with "failed".
//
//	rpc serve ADDRESS NAME
//	rpc unary TARGET TIMES     on one connection
//	rpc balance TARGET TIMES   on a connection for each of the name's records, in turn
//	rpc stream TARGET TIMES    in one stream of requests and answers
//
// If TIMES is 0, the client asks until its standard input ends.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	echo "google.golang.org/grpc/interop/grpc_testing"
)

const (
	interval = 100 * time.Millisecond
	patience = 10 * time.Second
	inTurn   = `{"loadBalancingConfig":[{"round_robin":{}}]}`
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("rpc needs a command, an address, and a name or a number")
	}
	command, address, last := os.Args[1], os.Args[2], os.Args[3]
	if command == "serve" {
		serve(address, last)
	}
	times, err := strconv.Atoi(last)
	if err != nil {
		log.Fatal(err)
	}
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	if command == "balance" {
		options = append(options, grpc.WithDefaultServiceConfig(inTurn))
	}
	connection, err := grpc.NewClient("dns:///"+address, options...)
	if err != nil {
		log.Fatal(err)
	}
	client := echo.NewTestServiceClient(connection)
	ask := func() (string, error) { return unary(client) }
	if command == "stream" {
		ask = stream(client)
	}
	isOver := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		close(isOver)
	}()
	for asked := 0; times == 0 || asked < times; asked++ {
		name, err := ask()
		if err != nil {
			fmt.Println("failed:", err)
		} else {
			fmt.Println(name)
		}
		time.Sleep(interval)
		select {
		case <-isOver:
			if times == 0 {
				return
			}
		default:
		}
	}
}

type server struct {
	echo.UnimplementedTestServiceServer
	name string
}

func serve(address, name string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	each := grpc.NewServer()
	echo.RegisterTestServiceServer(each, &server{name: name})
	log.Fatal(each.Serve(listener))
}

func (s *server) UnaryCall(context.Context, *echo.SimpleRequest) (*echo.SimpleResponse, error) {
	return &echo.SimpleResponse{Hostname: s.name}, nil
}

func (s *server) FullDuplexCall(stream echo.TestService_FullDuplexCallServer) error {
	for {
		if _, err := stream.Recv(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		body := &echo.Payload{Body: []byte(s.name)}
		if err := stream.Send(&echo.StreamingOutputCallResponse{Payload: body}); err != nil {
			return err
		}
	}
}

func unary(client echo.TestServiceClient) (string, error) {
	limited, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	answer, err := client.UnaryCall(limited, &echo.SimpleRequest{})
	return answer.GetHostname(), err
}

// A stream that has failed once fails from then on.
func stream(client echo.TestServiceClient) func() (string, error) {
	open, err := client.FullDuplexCall(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	return func() (string, error) {
		if err := open.Send(&echo.StreamingOutputCallRequest{}); err != nil && err != io.EOF {
			return "", err
		}
		answer, err := open.Recv()
		return string(answer.GetPayload().GetBody()), err
	}
}
