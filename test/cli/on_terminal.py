"""What a program shows on a terminal."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading

END = b"\0"  # no program writes it


def run_on_terminal(command, stream, environment, columns=80):
    """Runs a command with its "stdout" or "stderr" on a terminal of so many columns, the other in a pipe: its exit
    status, what the terminal showed, and what came through the pipe.

    The terminal is held open until its END was read: Linux may drop what is still on its way when the last one closes it.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, env=environment,
                               **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: theirs})
    piped = []

    def finish():
        piped.extend(text for text in process.communicate() if text is not None)
        os.write(theirs, END)

    waiting = threading.Thread(target=finish)
    waiting.start()
    shown = b""
    while not shown.endswith(END):
        shown += os.read(ours, 65536)
    waiting.join()
    os.close(theirs)
    os.close(ours)
    return process.returncode, shown[:-len(END)], piped[0]
