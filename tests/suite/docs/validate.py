# Validates a crate without a network: the context that RO-Crate publishes comes from the package `rocrate`.
import io, pathlib, sys, urllib.request, urllib.response
import requests, rocrate
from rocrate_validator import models, services

CONTEXT = (pathlib.Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld").read_bytes()

class Bundled(urllib.request.HTTPSHandler):
    def https_open(self, request):
        if "ro/crate/1.1" not in request.full_url:
            raise OSError(f"not bundled: {request.full_url}")
        answer = urllib.response.addinfourl(io.BytesIO(CONTEXT), {"content-type": "application/ld+json"}, request.full_url, 200)
        answer.msg = "OK"
        return answer

urllib.request.install_opener(urllib.request.build_opener(Bundled))

def get(self, method, url, **_):
    answer = requests.Response()
    answer.status_code, answer._content, answer.url = 200, CONTEXT, url
    answer.headers["content-type"] = "application/ld+json"
    return answer

requests.Session.request = get
found = 0
for profile in ["ro-crate-1.1", "workflow-ro-crate-1.0", "process-run-crate-0.5", "workflow-run-crate-0.5"]:
    settings = services.ValidationSettings(rocrate_uri=sys.argv[1], profile_identifier=profile, requirement_severity=models.Severity.REQUIRED)
    result = services.validate(settings)
    print(profile, "passed" if result.passed() else "failed", len(result.get_issues()))
    for issue in result.get_issues():
        print(" ", issue.check.identifier, issue.severity.name, issue.message)
    found += not result.passed()
sys.exit(found > 0)
