"""Validates a crate without a network, by the profiles that it claims; the context of RO-Crate 1.1 comes from `rocrate`."""

import io
import pathlib
import sys
import urllib.request
import urllib.response

import requests
import rocrate
from rocrate_validator import models, services

CONTEXT = (pathlib.Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld").read_bytes()
PROFILES = ["ro-crate-1.1", "workflow-ro-crate-1.0", "process-run-crate-0.5", "workflow-run-crate-0.5"]


class Bundled(urllib.request.HTTPSHandler):
    """Answers for the address of the context, and refuses all others."""

    def https_open(self, request):
        if "ro/crate/1.1" not in request.full_url:
            raise OSError(f"not bundled: {request.full_url}")
        headers = {"content-type": "application/ld+json"}
        answer = urllib.response.addinfourl(io.BytesIO(CONTEXT), headers, request.full_url, 200)
        answer.msg = "OK"
        return answer


def get(_session, _method, url, **_):
    """What the validator looks up for its profiles."""
    answer = requests.Response()
    answer.status_code, answer._content, answer.url = 200, CONTEXT, url
    answer.headers["content-type"] = "application/ld+json"
    return answer


urllib.request.install_opener(urllib.request.build_opener(Bundled))
requests.Session.request = get
failed = 0
for profile in PROFILES:
    settings = services.ValidationSettings(
        rocrate_uri=sys.argv[1], profile_identifier=profile, requirement_severity=models.Severity.REQUIRED
    )
    result = services.validate(settings)
    print(profile, "passed" if result.passed() else "failed")
    for issue in result.get_issues():
        print(" ", issue.check.identifier, issue.severity.name, issue.message)
    failed += not result.passed()
sys.exit(failed > 0)
