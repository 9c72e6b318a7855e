// Who may ask a service.

#include "service/access.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace access_test {

using namespace lowtide;

class AccessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void refusesWhoMayNot_data() {
        testing::addTable<QString, QString, QString, QString, int>(
            {"path", "host", "origin", "token", "status"},
            {{"own, token", "lowtide", "localhost:8197", "", "secret", 0},
             {"own, no token", "lowtide", "localhost:8197", "", "", 401},
             {"own, another token", "lowtide", "localhost:8197", "", "secreT", 401},
             {"own, longer token", "lowtide", "localhost:8197", "", "secret2", 401},
             {"ComfyUI's, no token", "prompt", "127.0.0.1:8197", "", "", 0},
             {"IPv6", "prompt", "[::1]:8197", "", "", 0},
             {"address of the network", "prompt", "192.168.1.2:8197", "", "", 0},
             {"name of another host", "prompt", "evil.example:8197", "", "", 403},
             {"looks like localhost", "prompt", "localhost.evil.example", "", "", 403},
             {"looks like an address", "prompt", "127.0.0.1.evil.example", "", "", 403},
             {"no host", "prompt", "", "", "", 403},
             {"own page", "prompt", "localhost:8197", "http://localhost:8197", "", 0},
             {"another page", "prompt", "localhost:8197", "http://evil.example", "", 403},
             {"another port", "prompt", "localhost:8197", "http://localhost:80", "", 403},
             {"a file", "prompt", "localhost:8197", "null", "", 403},
             {"another page with a token",
              "lowtide",
              "localhost:8197",
              "http://evil.example",
              "secret",
              403}});
    }

    void refusesWhoMayNot() {
        QFETCH(QString, path);
        QFETCH(QString, host);
        QFETCH(QString, origin);
        QFETCH(QString, token);
        QFETCH(int, status);
        service::Request request{.method = "GET", .path = {path.toStdString()}};
        request.headers = {{"host", host.toStdString()}, {"origin", origin.toStdString()}};
        service::Request asked = request;
        request.headers["authorization"] = "bearer " + token.toStdString();
        asked.query["token"] = token.toStdString();

        for (const service::Request& each : {request, asked}) {
            const auto refused = service::refusedAccess(each, {.token = "secret"});
            QCOMPARE(refused ? refused->status : 0, status);
        }
    }

    void needsTheTokenForAll_whereOthersReachIt() {
        service::Request request{.method = "GET", .path = {"prompt"}};
        request.headers = {{"host", "10.0.0.1"}};
        const auto refused =
            service::refusedAccess(request, {.token = "secret", .isTokenForAll = true});
        QCOMPARE(refused ? refused->status : 0, 401);
    }

    void acceptsAnyHostOfAUnixSocket() {
        service::Request request{.method = "GET", .path = {"prompt"}, .isLocalSocket = true};
        QVERIFY(!service::refusedAccess(request, {.token = "secret"}));
    }

    void makesTokensThatDiffer() {
        const std::string token = service::newToken();
        QCOMPARE(token.size(), size_t(64));
        QVERIFY(token != service::newToken());
        QVERIFY(!service::isSameSecret("", ""));
    }
};

LOWTIDE_TEST(AccessTest)

}  // namespace access_test

#include "access_test.moc"
