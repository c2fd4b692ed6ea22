"""Requests from the lab's client: URL COUNT EVERY_MS SOURCE TIMEOUT_MS HEADERS. One line of JSON each; COUNT 0: until killed.

Each has a connection of its own, but those to tcp://HOST:PORT: one for all, and when it ends they fail.
"""
import http.client
import json
import socket
import sys
import time
from urllib.parse import urlsplit

url, count, every, source, timeout, headers = sys.argv[1:]
url, count, every, timeout, headers = urlsplit(url), int(count), int(every) / 1000, int(timeout) / 1000, json.loads(headers)


def ask_http():
    conn = http.client.HTTPConnection(url.hostname, url.port or 80, timeout=timeout, source_address=(source, 0))
    try:
        conn.request('GET', url.path or '/', headers={'Connection': 'close', **headers})
        answer = conn.getresponse()
        return answer.status, json.loads(answer.read() or b'{}')
    finally:
        conn.close()


def ask_udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(timeout)
        s.bind((source, 0))
        s.connect((url.hostname, url.port))
        s.send(b'hello')
        return 0, json.loads(s.recv(65536))


held = []


def ask_tcp():
    """A node tells who it is when it hears what is no HTTP, and then repeats what it hears."""
    if not held:
        s = socket.create_connection((url.hostname, url.port), timeout, (source, 0))
        held.append(s.makefile('rwb'))
        held.append(json.loads(said(b'hello\n')))
    elif said(b'again\n') != b'again\n':
        raise ConnectionResetError
    return 0, held[1]


def said(line):
    held[0].write(line)
    held[0].flush()
    return held[0].readline()


def why(error):
    if isinstance(error, TimeoutError):
        return 'timeout'
    if isinstance(error, ConnectionRefusedError):
        return 'refused'
    if isinstance(error, (ConnectionResetError, http.client.RemoteDisconnected)):
        return 'reset'
    return str(error) or repr(error)


done = 0
while not count or done < count:
    began = time.time()
    try:
        status, body = {'udp': ask_udp, 'tcp': ask_tcp}.get(url.scheme, ask_http)()
        out = {'ok': True, 'status': status, 'node': body.get('node'), 'port': body.get('local_port'),
               'peer': body.get('remote_address'), 'headers': body.get('headers', {}), 'proxy': body.get('proxy')}
    except ValueError as e:  # haproxy's own 503 is HTML
        out = {'ok': False, 'reason': 'not a node: %s' % e}
    except OSError as e:
        out = {'ok': False, 'reason': why(e)}
    except http.client.HTTPException as e:
        out = {'ok': False, 'reason': why(e)}
    try:
        print(json.dumps(dict(out, at=int(time.time() * 1000))), flush=True)
    except BrokenPipeError:
        break
    done += 1
    time.sleep(max(0, every - (time.time() - began)))
