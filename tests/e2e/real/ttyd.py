"""A server that speaks ttyd's protocol over a real pseudo terminal: python3 ttyd.py [--base-path /PATH] COMMAND…

Replaces ttyd where that is not installed. Prints its address, and exits when its input ends.
Like ttyd: the subprotocol is `tty`; the first message is a JSON object with AuthToken, columns and rows, and only then
the program starts, one for each connection; `0` is input and output, `1` a new size or the title, `2` preferences; a
connection to another path is closed without an answer; the end of the program closes with 1000; the end of a connection
hangs up its program.
"""

import base64, fcntl, hashlib, json, os, pty, signal, socket, struct, sys, termios, threading

arguments = sys.argv[1:]
served = "/ws"
if arguments[:1] == ["--base-path"]:
    served, arguments = arguments[1] + served, arguments[2:]


def frame(kind, payload):
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", 0x80 | kind, size)
    elif size < 65536:
        head = struct.pack("!BBH", 0x80 | kind, 126, size)
    else:
        head = struct.pack("!BBQ", 0x80 | kind, 127, size)
    return head + payload


def exactly(stream, size):
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def message(stream):
    """The next message, without pings and with fragments joined; none at the end."""
    whole = b""
    while True:
        first, second = exactly(stream, 2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", exactly(stream, 2))
        elif size == 127:
            (size,) = struct.unpack("!Q", exactly(stream, 8))
        mask = exactly(stream, 4)
        data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(exactly(stream, size)))
        if first & 0x0F == 8:
            raise EOFError
        if first & 0x0F in (0, 1, 2):
            whole += data
            if first & 0x80:
                return whole


def resize(terminal, told):
    size = struct.pack("HHHH", int(told["rows"]), int(told["columns"]), 0, 0)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)


def serve(connection):
    stream = connection.makefile("rb")
    lock = threading.Lock()

    def send(kind, payload):
        with lock:
            connection.sendall(frame(kind, payload))

    headers = {}
    line = stream.readline().decode("latin-1")
    path = line.split(" ")[1] if " " in line else ""
    while (line := stream.readline().decode("latin-1").strip()):
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    key = headers.get("sec-websocket-key")
    if path != served or not key or "tty" not in headers.get("sec-websocket-protocol", ""):
        connection.close()
        return
    accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
    connection.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Protocol: tty\r\nSec-WebSocket-Accept: " + accept + b"\r\n\r\n"
    )
    process = terminal = None

    def output():
        while True:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                data = b""
            if not data:
                break
            send(2, b"0" + data)
        _, status = os.waitpid(process, 0)
        send(8, struct.pack("!H", 1000 if status == 0 else 1011))
        connection.shutdown(socket.SHUT_RDWR)

    try:
        while True:
            data = message(stream)
            kind = data[:1]
            if kind == b"{" and process is None:
                told = json.loads(data)
                process, terminal = pty.fork()
                if process == 0:
                    os.environ["TERM"] = "xterm-256color"
                    os.execvp(arguments[0], arguments)
                resize(terminal, told)
                send(2, b"1" + " ".join(arguments).encode() + b" (test)")
                send(2, b"2{}")
                threading.Thread(target=output, daemon=True).start()
            elif kind == b"0":
                os.write(terminal, data[1:])
            elif kind == b"1":
                resize(terminal, json.loads(data[1:]))
    except (EOFError, OSError):
        pass
    finally:
        if process:
            try:
                os.kill(process, signal.SIGHUP)
            except OSError:
                pass
        connection.close()


server = socket.create_server(("127.0.0.1", 0))
print(f"listening at ws://127.0.0.1:{server.getsockname()[1]}/ws", flush=True)


def accept():
    while True:
        connection, _ = server.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
