"""An S3-compatible server for tests. Prints its port, and the access key and the secret key of a user."""

import json
import os

# Users and keys are made before the first request that is checked.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "0"

from moto.iam.models import iam_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

WSGIRequestHandler.protocol_version = "HTTP/1.1"
iam = iam_backends["123456789012"]["aws"]
iam.create_user("us-east-1", "kennel")
key = iam.create_access_key("kennel")
statement = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
iam.put_user_policy("kennel", "all", json.dumps({"Version": "2012-10-17", "Statement": [statement]}))
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
for line in (server.server_port, key.access_key_id, key.secret_access_key):
    print(line, flush=True)
server.serve_forever()
