"""Answers a program's dialogs for files, as a desktop's portal does, with the file that is set.

Nobody has to press a key: the program asks `org.freedesktop.portal.FileChooser` on a session bus
of its own, and opens or writes the file that it is told.
"""
import subprocess, threading
from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection


class FilePortal:
    NAME = "org.freedesktop.portal.Desktop"
    CHOOSER = "org.freedesktop.portal.FileChooser"
    VERSION = 4

    def __init__(self):
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address=1"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True)
        self.address = self.bus.stdout.readline().strip()
        self.file = None
        self.asked = []
        self.connection = open_dbus_connection(bus=self.address)
        self.connection.send_and_get_reply(message_bus.RequestName(self.NAME))
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.bus.terminate()
        self.bus.wait()
        self.bus.stdout.close()

    def serve(self):
        try:
            while True:
                message = self.connection.receive()
                if message.header.message_type == MessageType.method_call:
                    self.answer(message)
        except (ConnectionError, EOFError, OSError):
            pass

    def answer(self, call):
        fields = call.header.fields
        member = fields.get(HeaderFields.member)
        interface = fields.get(HeaderFields.interface)
        if interface == "org.freedesktop.DBus.Properties" and call.body[0] == self.CHOOSER:
            value = ("u", self.VERSION)
            self.connection.send(
                new_method_return(call, "v", (value,)) if member == "Get"
                else new_method_return(call, "a{sv}", ({"version": value},)))
        elif interface == self.CHOOSER and member in ["OpenFile", "SaveFile"]:
            self.asked.append(member)
            sender = fields[HeaderFields.sender]
            token = call.body[2]["handle_token"][1]
            path = ("/org/freedesktop/portal/desktop/request/"
                    f"{sender[1:].replace('.', '_')}/{token}")
            self.connection.send(new_method_return(call, "o", (path,)))
            request = DBusAddress(path, interface="org.freedesktop.portal.Request")
            files = {"uris": ("as", [self.file.absolute().as_uri()])}
            self.connection.send(new_signal(request, "Response", "ua{sv}", (0, files)))
        else:
            self.connection.send(
                new_error(call, "org.freedesktop.DBus.Error.UnknownMethod", "s", ("not here",)))
