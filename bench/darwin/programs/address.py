"""Takes a web address apart: address.py ADDRESS."""

import sys

DEFAULT_PORTS = {"http": 80, "https": 443, "ftp": 21}


class Address:
    def __init__(self):
        self.scheme = "http"
        self.user = ""
        self.host = ""
        self.port = 0
        self.path = "/"
        self.query = []
        self.fragment = ""


def split_once(text, sign):
    at = text.find(sign)
    if at < 0:
        return text, ""
    return text[:at], text[at + 1 :]


def parse_port(text):
    if not text.isdigit():
        return -1
    port = int(text)
    if port < 1 or port > 65535:
        return -1
    return port


def parse_host(address, text):
    at = text.rfind("@")
    if at >= 0:
        address.user = text[:at]
        text = text[at + 1 :]
    host, port = split_once(text, ":")
    if not host:
        return "no host"
    for c in host:
        if not (c.isalnum() or c == "." or c == "-"):
            return "bad host"
    if host.startswith("-") or host.startswith("."):
        return "bad host"
    address.host = host.lower()
    if port:
        address.port = parse_port(port)
        if address.port < 0:
            return "bad port"
    else:
        address.port = DEFAULT_PORTS.get(address.scheme, 0)
    return ""


def parse_query(text):
    found = []
    for part in text.split("&"):
        if not part:
            continue
        key, value = split_once(part, "=")
        found.append((key, value.replace("+", " ")))
    return found


def normal_path(text):
    kept = []
    for part in text.split("/"):
        if part == "" or part == ".":
            continue
        if part == "..":
            if kept:
                kept.pop()
            continue
        kept.append(part)
    path = "/" + "/".join(kept)
    if text.endswith("/") and kept:
        path += "/"
    return path


def parse(text):
    address = Address()
    text, address.fragment = split_once(text, "#")
    at = text.find("://")
    if at >= 0:
        address.scheme = text[:at].lower()
        text = text[at + 3 :]
    if address.scheme not in DEFAULT_PORTS:
        return None, "unknown scheme"
    text, query = split_once(text, "?")
    address.query = parse_query(query)
    host, path = split_once(text, "/")
    problem = parse_host(address, host)
    if problem:
        return None, problem
    address.path = normal_path(path)
    return address, ""


def is_local(address):
    return address.host == "localhost" or address.host.startswith("127.")


def main(arguments):
    address, problem = parse(arguments[1])
    if address is None:
        print(problem)
        return
    print("scheme", address.scheme, "host", address.host, "port", address.port)
    print("path", address.path)
    for key, value in address.query:
        print("query", key, "is", value)
    if address.fragment:
        print("fragment", address.fragment)
    if is_local(address):
        print("local")


main(sys.argv)
