#!/usr/bin/env python3
"""attend serve, asked in every wrong way: requests as bytes on sockets.

The names of the tests end with the numbers of the cases in the catalogue of HTTP requests to survive (HT-01 ...).  The
server has no request with a body, no token, no job and no file name in a request, so that the cases about those (HT-05,
HT-06, HT-15 to HT-19) end with a refusal before anything is looked at.

usage: ATTEND_BINARY=build/dev/attend test_serve.py
"""
import glob
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
SOURCE = os.environ.get("ATTEND_SOURCE", ".")
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "connection": "close",
}
OPEN_MAX = 64  # connections
REQUEST_SECONDS = 10


def write_page(folder):
    path = os.path.join(folder, "page.html")
    done = subprocess.run([BINARY, "page", "-o", path], capture_output=True, text=True)
    if "without the page" in done.stderr:
        raise unittest.SkipTest("built without the page")
    assert done.returncode == 0, done.stderr
    with open(path, "rb") as file:
        return file.read()


def trace(example):
    return subprocess.run([BINARY, "trace", example, "--json"], capture_output=True, text=True, check=True).stdout


class Server:
    """A running attend serve."""

    def __init__(self, *options, environment=None):
        self.process = subprocess.Popen([BINARY, "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env={**os.environ, **(environment or {})})
        self.line = self.process.stdout.readline()
        self.port = int(self.line.split("/")[2].split(":")[1])

    def end(self, how=signal.SIGTERM):
        """The rest of standard output, standard error and the exit status."""
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=20)
        return out, err, self.process.returncode

    def connect(self, family=socket.AF_INET):
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.settimeout(20)
        connection.connect(("127.0.0.1" if family == socket.AF_INET else "::1", self.port))
        return connection

    def request(self, start="GET / HTTP/1.1", *headers, host=None):
        host = "127.0.0.1:%d" % self.port if host is None else host
        return "\r\n".join([start, "Host: " + host, *headers, "", ""]).encode("latin-1")

    def ask(self, data, family=socket.AF_INET):
        """All that the server sends back until it closes."""
        with self.connect(family) as connection:
            return talk(connection, data)

    def status(self, data):
        return status_of(self.ask(data))


def talk(connection, data=b""):
    try:
        connection.sendall(data)
    except (ConnectionResetError, BrokenPipeError):  # it was told no before it had said all
        pass
    return hear(connection)


def hear(connection):
    answer = b""
    try:
        while chunk := connection.recv(65536):
            answer += chunk
    except ConnectionResetError:
        pass
    return answer


def status_of(answer):
    """The number of the status; 0 when the connection was closed without an answer."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else 0


def parts(answer):
    """(headers with names in lower case, body)"""
    head, body = answer.split(b"\r\n\r\n", 1)
    lines = head.decode("latin-1").split("\r\n")[1:]
    return {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}, body


class Serve(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.page = write_page(folder)

    def setUp(self):
        self.server = Server("--port", "0")
        self.addCleanup(self.leave)

    def leave(self):
        """After every test it still answers, and it ends without a word, a leak or a finding of a sanitizer."""
        self.assert_prompt()
        self.assertEqual(self.server.end(), ("", "", 0))
        self.server.process.stdout.close()
        self.server.process.stderr.close()

    def assert_prompt(self):
        """It answers within a second; of three times, as this machine may be busy with something else."""
        seconds = []
        for _ in range(3):
            began = time.monotonic()
            self.assert_page(self.server.ask(self.server.request()))
            seconds.append(time.monotonic() - began)
        self.assertLess(min(seconds), 1)

    def assert_page(self, answer):
        self.assertEqual(status_of(answer), 200)
        self.assertEqual(parts(answer)[1], self.page)

    def assert_status(self, wanted, data):
        answer = self.server.ask(data)
        self.assertIn(status_of(answer), wanted if isinstance(wanted, tuple) else (wanted,), data[:200])
        return answer

    # ---- the page --------------------------------------------------------------------------------------------------

    def test_one_line_is_printed(self):
        self.assertEqual(self.server.line, "http://127.0.0.1:%d/\n" % self.server.port)

    def test_page_and_head(self):
        headers, body = parts(self.server.ask(self.server.request()))
        self.assertEqual(body, self.page)
        self.assertEqual(headers["content-type"], "text/html; charset=utf-8")
        self.assertEqual(int(headers["content-length"]), len(self.page))
        head, nothing = parts(self.server.ask(self.server.request("HEAD / HTTP/1.1")))
        self.assertEqual(nothing, b"")
        self.assertEqual({**head, "date": ""}, {**headers, "date": ""})

    def test_a_query_changes_nothing(self):
        self.assert_page(self.server.ask(self.server.request("GET /?q=1;2 HTTP/1.1")))

    def test_old_http_with_host(self):
        self.assert_page(self.server.ask(self.server.request("GET / HTTP/1.0")))

    def test_every_own_name(self):
        for host in ("127.0.0.1:%d", "localhost:%d", "LocalHost:%d", "[::1]:%d"):
            self.assert_page(self.server.ask(self.server.request(host=host % self.server.port)))

    def test_ipv6(self):
        try:
            answer = self.server.ask(self.server.request(), socket.AF_INET6)
        except OSError as error:
            self.skipTest("no IPv6 here: %s" % error)
        self.assert_page(answer)

    def test_headers_on_every_answer_23(self):
        port = self.server.port
        for data in (self.server.request(), self.server.request("HEAD / HTTP/1.1"), self.server.request(host="evil"),
                     self.server.request("HEAD / HTTP/1.1", host="evil"), self.server.request("GET /x HTTP/1.1"),
                     self.server.request("POST / HTTP/1.1"), self.server.request("GET / HTTP/1.1", "Content-Length: 1"),
                     self.server.request("GET / HTTP/1.1", "Origin: http://evil")):
            headers, body = parts(self.server.ask(data))
            self.assertEqual({name: headers[name] for name in HEADERS}, HEADERS, data)
            policy = headers["content-security-policy"]
            for needed in ("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
                           "'wasm-unsafe-eval'"):
                self.assertIn(needed, policy)
            for forbidden in ("unsafe-inline", "'unsafe-eval'", "*", "http:", "'self'"):
                self.assertNotIn(forbidden, policy)
            self.assertEqual(len(body), 0 if data.startswith(b"HEAD") else int(headers["content-length"]))
        self.assertEqual(port, self.server.port)

    # ---- who asks --------------------------------------------------------------------------------------------------

    def test_other_hosts_01_02(self):
        port = self.server.port
        for host in ("evil.example", "evil.example:%d" % port, "localhost.evil.com:%d" % port, "localhost",
                     "127.0.0.1.nip.io:%d" % port, "127.0.0.1:%d" % (port - 1), "127.0.0.1", "127.0.0.1:", "::1:%d" % port,
                     "127.0.0.1:%d.evil" % port, "127.0.0.1:0%d" % port, "127.1:%d" % port, "0.0.0.0:%d" % port,
                     "2130706433:%d" % port, "user@127.0.0.1:%d" % port, "127.0.0.1:%d, evil" % port):
            answer = self.assert_status(403, self.server.request(host=host))
            self.assertIn(b"host not allowed", answer)

    def test_no_host_or_two_02(self):
        own = "Host: 127.0.0.1:%d" % self.server.port
        for lines in ([], [own, own], [own, "Host: evil"], ["Host: evil", own], ["Host:"]):
            for version in ("1.0", "1.1"):
                data = "\r\n".join(["GET / HTTP/" + version, *lines, "", ""]).encode()
                self.assert_status((400, 403), data)

    def test_other_origins_03(self):
        port = self.server.port
        for origin in ("http://evil", "null", "", "https://127.0.0.1:%d" % port, "http://127.0.0.1:%d" % (port - 1),
                       "http://127.0.0.1:%d.evil" % port, "file://"):
            for start in ("GET / HTTP/1.1", "POST / HTTP/1.1"):
                answer = self.assert_status(403, self.server.request(start, "Origin: " + origin))
                self.assertIn(b"origin not allowed", answer)
        upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAA")
        self.assert_status(403, self.server.request("GET / HTTP/1.1", "Origin: http://evil", *upgrade))
        self.assert_page(self.server.ask(self.server.request("GET / HTTP/1.1", "Origin: http://127.0.0.1:%d" % port)))

    def test_only_loopback_listens_04(self):
        self.assertIn("0100007F", self.listening())
        self.assertEqual(set(self.listening()) - {"0100007F", "0" * 24 + "01000000"}, set())

    def listening(self):
        """The addresses that somebody listens on at the server's port."""
        rows = []
        for path in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(path, encoding="ascii") as file:
                rows += [line.split() for line in file.readlines()[1:]]
        local = [row[1].split(":") for row in rows if row[3] == "0A"]
        return [address for address, port in local if int(port, 16) == self.server.port]

    def test_no_token_is_known_05(self):
        for token in ("x", "x" * 1000, "../../etc/passwd"):
            self.assert_page(self.server.ask(self.server.request("GET /?token=%s HTTP/1.1" % token)))
        self.assert_status((0, 413, 414, 431), self.server.request("GET /?token=%s HTTP/1.1" % ("x" * 1000000)))

    # ---- what is asked ---------------------------------------------------------------------------------------------

    def test_other_methods_06_07(self):
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "BREW", "PROPFIND"):
            headers, _ = parts(self.assert_status(405, self.server.request(method + " / HTTP/1.1")))
            self.assertEqual(headers["allow"], "GET, HEAD")
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json"):
            data = self.server.request("POST / HTTP/1.1", "Content-Type: " + kind, "Content-Length: 4") + b"a=bc"
            self.assert_status(405, data)

    def test_bodies_are_never_read_15_16_17_18_19(self):
        for body in (b"[" * 100000, b'{"heads": "eight"}', b'{"n": -1, "n": 1e308}', b'{"file": "../../etc/shadow"}',
                     b'{"x": NaN}', b"\xff\xfe"):
            for start, status in (("POST / HTTP/1.1", 405), ("GET / HTTP/1.1", 413)):
                self.assert_status(status, self.server.request(start, "Content-Length: %d" % len(body)) + body)

    def test_paths_08(self):
        for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%5c..%5cetc", "//", "//etc/passwd", "/%00",
                     "/%c0%ae%c0%ae/", "/%", "/%zz", "/index.html", "/favicon.ico", "/.", "/%2f", "/etc/passwd",
                     "/attention.html", "*", "etc/passwd", "/<script>alert(1)</script>", "/\xff\xfe",
                     "http://127.0.0.1:%d/" % self.server.port, "/;"):
            answer = self.server.ask(self.server.request("GET %s HTTP/1.1" % path))
            self.assertIn(status_of(answer), (400, 404), path)
            for word in (b"root:", b"script", b"passwd", b"/h/", b"/home", b".c:"):
                self.assertNotIn(word, answer.split(b"\r\n\r\n", 1)[1], path)

    def test_an_answer_repeats_nothing_20_21(self):
        mark = "m4rk<script>"
        for data in (self.server.request("GET /%s HTTP/1.1" % mark), self.server.request("%s / HTTP/1.1" % "M4RK"),
                     self.server.request(host=mark), self.server.request("GET / HTTP/1.1", "Origin: " + mark),
                     self.server.request("GET / HTTP/1.1", mark), self.server.request("GET / %s" % mark)):
            self.assertNotIn(b"m4rk", self.server.ask(data).lower(), data)

    # ---- too much --------------------------------------------------------------------------------------------------

    def test_too_large_09(self):
        million = "x" * 1000000
        for data in (self.server.request("GET /%s HTTP/1.1" % million), self.server.request(million + " / HTTP/1.1"),
                     self.server.request("GET / HTTP/1.1", "X: " + million), (million * 2).encode(),
                     self.server.request("GET / HTTP/1.1", *["X%d: y" % i for i in range(10000)]),
                     self.server.request("GET / HTTP/1.1", million + ": x")):
            self.assert_status((0, 400, 413, 414, 431), data)

    def test_folded_header_09(self):
        self.assert_status((200, 400), self.server.request("GET / HTTP/1.1", "X: a", " b", "\tc"))
        self.assert_status((400, 403), self.server.request("GET / HTTP/1.1", " evil"))

    def test_lengths_10(self):
        for lines in (["Content-Length: -1"], ["Content-Length: 18446744073709551616"], ["Content-Length: 9e9"],
                      ["Content-Length: 1", "Content-Length: 2"], ["Content-Length: 0", "Content-Length: 0"],
                      ["Content-Length: 5", "Transfer-Encoding: chunked"], ["Content-Length: "], ["Content-Length: +0"],
                      ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], ["Content-Length: 0x0"]):
            for start in ("GET / HTTP/1.1", "POST / HTTP/1.1"):
                smuggled = self.server.request("GET /smuggled HTTP/1.1")
                answer = self.assert_status((400, 405, 413), self.server.request(start, *lines) + b"0\r\n\r\n" + smuggled)
                # libmicrohttpd 0.9.75 writes the head of its own refusals twice
                self.assertEqual(set(re.findall(rb"HTTP/1\.1 (\d+)", answer)), {b"%d" % status_of(answer)}, lines)

    def test_endless_bodies_11(self):
        began = time.monotonic()
        self.assert_status(413, self.server.request("GET / HTTP/1.1", "Content-Length: 10000000000"))
        self.assert_status(405, self.server.request("PUT / HTTP/1.1", "Content-Length: 10000000000"))
        self.assert_status(413, self.server.request("GET / HTTP/1.1", "Transfer-Encoding: chunked") + b"5\r\nhello\r\n" * 99)
        self.assert_status(405, self.server.request("POST / HTTP/1.1", "Expect: 100-continue", "Content-Length: 9"))
        self.assertLess(time.monotonic() - began, REQUEST_SECONDS)  # none is waited for

    def test_slow_clients_12(self):
        slow = [self.server.connect() for _ in range(100)]
        began = time.monotonic()
        answers = {}
        while len(answers) < len(slow) and time.monotonic() < began + REQUEST_SECONDS + 5:
            for connection in slow:
                if connection not in answers:
                    self.say_one_byte(connection, answers)
            self.assert_page(self.server.ask(self.server.request()))
            time.sleep(1)
        self.assertEqual(len(answers), len(slow))
        self.assertEqual(set(answers.values()) - {0}, {408, 503})  # 0: reset before it was read
        self.assertGreaterEqual(list(answers.values()).count(408), OPEN_MAX // 2)

    def say_one_byte(self, connection, answers):
        """One byte of a header; or, when there is an answer, its status."""
        connection.setblocking(False)
        try:
            answer = connection.recv(4096)
            answers[connection] = status_of(answer)
            connection.close()
        except BlockingIOError:
            connection.send(b"G")
        except (ConnectionResetError, BrokenPipeError):
            answers[connection] = 0
            connection.close()

    def test_silent_client_12(self):
        began = time.monotonic()
        with self.server.connect() as connection:
            self.assertEqual(status_of(hear(connection)), 408)
        self.assertAlmostEqual(time.monotonic() - began, REQUEST_SECONDS, delta=3)

    def test_ten_thousand_connections_13(self):
        held = []
        for number in range(10000):
            held.append(self.server.connect())
            if len(held) > 300:
                held.pop(0).close()
            if number % 1000 == 999:
                self.assert_prompt()
                folder = "/proc/%d/" % self.server.process.pid
                self.assertLess(len(os.listdir(folder + "fd")), 3 * OPEN_MAX)
                self.assertLessEqual(len(os.listdir(folder + "task")), 2)  # a sanitizer may have one of its own
        statuses = [status_of(hear(connection)) for connection in held[:100]]
        self.assertEqual(set(statuses), {503})
        for connection in held:
            connection.close()

    def test_all_places_taken_by_readers_13(self):
        """Who asked and does not take its answer keeps its place; who comes then is told so."""
        readers = []
        for _ in range(OPEN_MAX):
            reader = socket.socket()
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            reader.connect(("127.0.0.1", self.server.port))
            reader.sendall(self.server.request())
            readers.append(reader)
        time.sleep(0.5)
        # an answer that went into the buffers of the system is out, and its reader no longer keeps a place
        full = self.connections() >= OPEN_MAX
        self.assertEqual(self.server.status(self.server.request()), 503 if full else 200)
        for reader in readers:
            reader.close()
        time.sleep(0.5)

    def connections(self):
        folder = "/proc/%d/fd/" % self.server.process.pid
        sockets = [name for name in os.listdir(folder) if os.readlink(folder + name).startswith("socket:")]
        return len(sockets) - len(self.listening())

    # ---- what is no HTTP -------------------------------------------------------------------------------------------

    def test_other_protocols_14(self):
        for data in (b"GET /\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20,
                     self.server.request("GET / HTTP/2.0"), self.server.request("GET / HTTP/9"), b"\r\n" * 100,
                     self.server.request("GET / HTTP/0.9"), self.server.request("GET / ICE/1.0"), b"GET\r\n\r\n", b"\0" * 100,
                     self.server.request("GET / HTTP/1.1\0"), b" " * 5000 + b"\r\n\r\n", b"\n\n"):
            with self.server.connect() as connection:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                answer = hear(connection)
            self.assertIn(status_of(answer), (0, 400, 403, 405, 431, 505), data[:50])
            self.assertNotIn(self.page[:200], answer)

    def test_pipelined_requests_14(self):
        answer = self.server.ask(self.server.request() * 3)
        self.assert_page(answer)  # one answer, then the end

    def test_ten_thousand_requests_one_in_a_hundred_malformed(self):
        chance = random.Random(14)
        for number in range(10000):
            if number % 100 == 0:
                self.server.ask(self.spoilt(chance) + b"\r\n\r\n")
            else:
                self.assertEqual(self.server.status(self.server.request("HEAD / HTTP/1.1")), 200)

    def test_spoilt_requests_14(self):
        chance = random.Random(2017)
        for _ in range(1000):
            with self.server.connect() as connection:
                connection.sendall(self.spoilt(chance))
                connection.shutdown(socket.SHUT_WR)
                hear(connection)

    def spoilt(self, chance):
        """A request with some bytes changed, left out or put in."""
        data = bytearray(self.server.request("GET / HTTP/1.1", "Content-Length: 0", "Origin: null", "Accept: */*"))
        for _ in range(chance.randint(1, 8)):
            at = chance.randrange(len(data))
            action = chance.randrange(4)
            if action == 0:
                data[at] = chance.randrange(256)
            elif action == 1:
                del data[at:at + chance.randint(1, 20)]
            elif action == 2:
                data[at:at] = bytes(chance.choice(b"\r\n\0 :%/\xff") for _ in range(chance.randint(1, 20)))
            else:
                data[at:at] = data[:chance.randrange(len(data))]
        return bytes(data)

    # ---- who goes away ---------------------------------------------------------------------------------------------

    def test_clients_leave_in_the_middle_22(self):
        request = self.server.request()
        for length in list(range(len(request))) * 2 + [len(request)] * 100:
            connection = self.server.connect()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # closes with a reset
            connection.sendall(request[:length])
            connection.close()

    def test_half_a_request_then_the_end(self):
        request = self.server.request()
        for length in range(0, len(request), 7):
            with self.server.connect() as connection:
                connection.sendall(request[:length])
                connection.shutdown(socket.SHUT_WR)
                self.assertNotEqual(status_of(hear(connection)), 200)

    def test_bytes_one_by_one(self):
        with self.server.connect() as connection:
            for byte in self.server.request():
                connection.sendall(bytes([byte]))
            self.assert_page(hear(connection))


class BeginningAndEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            write_page(folder)

    def serve(self, *options, **how):
        server = Server(*options, **how)
        self.addCleanup(server.process.stdout.close)
        self.addCleanup(server.process.stderr.close)
        return server

    def test_both_signals_end_it(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            self.assertEqual(self.serve("--port", "0").end(how), ("", "", 0))

    def test_the_end_comes_with_clients_connected(self):
        server = self.serve("--port", "0")
        clients = [server.connect() for _ in range(20)]
        clients[0].sendall(b"GET / HT")
        self.assertEqual(server.end(), ("", "", 0))
        for client in clients:
            client.close()

    def test_port_in_use_24(self):
        server = self.serve("--port", "0")
        done = subprocess.run([BINARY, "serve", "--port", str(server.port)], capture_output=True, text=True, timeout=20)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "attend: error: port %d is in use\nhint: --port 0 takes one that is free\n" %
                         server.port)
        self.assertEqual(server.end(), ("", "", 0))

    def test_port_is_free_again_at_once(self):
        server = self.serve("--port", "0")
        server.ask(server.request())
        server.end()
        again = self.serve("--port", str(server.port))
        self.assertEqual(again.port, server.port)
        self.assertEqual(again.end(), ("", "", 0))

    def test_usual_port_taken(self):
        first, second = self.serve(), self.serve()
        self.assertNotEqual(first.port, second.port)
        self.assertEqual(second.end(), ("", "", 0))
        self.assertEqual(first.end(), ("", "", 0))

    def test_a_file_goes_into_the_address(self):
        """What the address says after the # are the numbers of the file, to the last digit."""
        data = os.path.join(SOURCE, "test", "cli", "data")
        files = glob.glob(os.path.join(SOURCE, "examples", "*.json"))
        for path in files + [os.path.join(data, name) for name in ("mine.json", "escapes.json", "rotary.json")]:
            server = self.serve("--port", "0", path)
            address, fragment = server.line.rstrip("\n").split("#", 1)
            self.assertEqual(address, "http://127.0.0.1:%d/" % server.port)
            self.assertEqual(trace("#" + fragment), trace(path))
            self.assertEqual(server.end(), ("", "", 0))
        self.assertGreater(len(files), 3)

    def test_address_that_cannot_be_printed(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([BINARY, "serve", "--port", "0"], stdout=full, stderr=subprocess.PIPE, text=True,
                                  timeout=20)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "attend: error: standard output: No space left on device\n"))

    def test_open_runs_xdg_open_without_a_shell(self):
        with tempfile.TemporaryDirectory() as folder:
            told = os.path.join(folder, "told")
            with open(os.path.join(folder, "xdg-open"), "w", encoding="ascii") as file:
                file.write('#!/bin/sh\necho chatter\necho "$# $1" >%s.part\nmv %s.part %s\n' % (told, told, told))
            os.chmod(file.name, 0o755)
            server = self.serve("--port", "0", "--open", environment={"PATH": folder + ":" + os.environ["PATH"]})
            deadline = time.monotonic() + 20
            while not os.path.exists(told) and time.monotonic() < deadline:
                time.sleep(0.05)
            with open(told, encoding="ascii") as file:
                self.assertEqual(file.read(), "1 " + server.line)
            self.assertEqual(server.end(), ("", "", 0))

    def test_open_without_xdg_open(self):
        server = self.serve("--port", "0", "--open", environment={"PATH": "/nowhere"})
        out, err, status = server.end()
        self.assertEqual((out, status), ("", 0))
        self.assertEqual(err, "attend: note: xdg-open: No such file or directory; please open the address yourself\n")


if __name__ == "__main__":
    unittest.main()
