"""sau serve as a child process, for the benchmarks that play a problem over HTTP."""

import http.client
import json
import signal
import subprocess


class Server:
    def __init__(self, program, folder, agent, seed):
        self.process = subprocess.Popen(
            [program, "serve", folder, "--port", "0", "--agent", agent, "--seed", str(seed)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
        port = int(self.process.stdout.readline().split()[-1].rstrip("/").rpartition(":")[2])
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def call(self, method, path, body=None):
        self.connection.request(method, path, json.dumps(body))
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {text.decode()}")
        return json.loads(text) if text else None

    def stop(self):
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.process.stdout.close()
