// Targets, routes, ranges and forms of requests.

#include "service/http.hpp"
#include "service/multipart.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

namespace http_test {

using namespace lowtide;
using service::Request;
using service::Response;

namespace {

std::string bodyAt(const service::Router& router, const char* method, const char* target) {
    Request request{.method = method};
    if (!service::readTarget(target, request)) {
        return "no target";
    }
    const std::optional<Response> response = router.answer(request);
    return !response                 ? "no route"
           : response->status != 200 ? std::to_string(response->status)
                                     : response->body;
}

service::Router twoRoutes() {
    service::Router router;
    router.add("GET", "/runs/{}", [](const Request&, const service::PathValues& values) {
        return service::textResponse(200, "run " + values[0]);
    });
    router.add("POST", "/runs", [](const Request&, const service::PathValues&) {
        return service::textResponse(200, "added");
    });
    return router;
}

QByteArray formOf(const char* end) {
    return QByteArray(
               "--XX\r\nContent-Disposition: form-data; name=\"image\"; "
               "filename=\"a;b.png\"\r\nContent-Type: image/png\r\n\r\n1\r\n2\r\n"
               "--XX\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\ninput\r\n") +
           end;
}

}  // namespace

class HttpTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void takesTargetsApart() {
        Request request;
        QVERIFY(service::readTarget("/userdata/a%2Fb%20c?x=1+2&y&z=%C3%A4", request));
        QCOMPARE(request.path, (std::vector<std::string>{"userdata", "a/b c"}));
        QCOMPARE(request.parameter("x"), std::string("1 2"));
        QVERIFY(request.hasParameter("y"));
        QCOMPARE(request.parameter("z"), std::string("\xC3\xA4"));
    }

    void refusesDamagedTargets_data() {
        testing::addTable<QString>({"target"},
                                   {{"no slash", "view"},
                                    {"half a code", "/a%2"},
                                    {"no code", "/a%zz"},
                                    {"NUL", "/a%00"},
                                    {"not UTF-8", "/a%ff"},
                                    {"in the query", "/a?b=%"}});
    }

    void refusesDamagedTargets() {
        QFETCH(QString, target);
        Request request;
        QVERIFY(!service::readTarget(target.toStdString(), request));
    }

    void findsRoutes_data() {
        testing::addTable<QString, QString, QString>(
            {"method", "target", "body"},
            {{"value", "GET", "/runs/7", "run 7"},
             {"slash in it", "GET", "/runs/a%2Fb", "run a/b"},
             {"head", "HEAD", "/runs/7", "run 7"},
             {"other method", "PUT", "/runs", "405"},
             {"deeper", "GET", "/runs/7/8", "no route"},
             {"empty part", "GET", "//runs/7", "no route"},
             {"root", "GET", "/", "no route"}});
    }

    void findsRoutes() {
        QFETCH(QString, method);
        QFETCH(QString, target);
        QFETCH(QString, body);
        const std::string found =
            bodyAt(twoRoutes(), method.toLatin1().constData(), target.toLatin1().constData());
        QCOMPARE(QString::fromStdString(found), body);
    }

    void sendsPartsOfFiles_data() {
        testing::addTable<QString, int, QString>({"range", "status", "body"},
                                                 {{"first bytes", "bytes=0-2", 206, "abc"},
                                                  {"from one on", "bytes=8-", 206, "ij"},
                                                  {"the last ones", "bytes=-3", 206, "hij"},
                                                  {"beyond the end", "bytes=20-", 200, ""},
                                                  {"backwards", "bytes=5-2", 200, ""},
                                                  {"no number", "bytes=x-y", 200, ""},
                                                  {"none", "", 200, ""}});
    }

    void sendsPartsOfFiles() {
        QFETCH(QString, range);
        QFETCH(int, status);
        QFETCH(QString, body);
        const QTemporaryDir folder;
        QFile file(folder.filePath("a.png"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("abcdefghij") == 10);
        file.close();

        const Response response =
            service::fileResponse(file.fileName().toStdString(), range.toStdString());

        QCOMPARE(response.status, status);
        QCOMPARE(QString::fromStdString(response.body), body);
        QCOMPARE(response.type, std::string("image/png"));
    }

    void readsForms() {
        const auto form = service::readForm("multipart/form-data; boundary=XX",
                                            formOf("--XX--\r\n").toStdString());
        QVERIFY(form.has_value());
        QCOMPARE(form->at("image").fileName, std::string("a;b.png"));
        QCOMPARE(form->at("image").value, std::string("1\r\n2"));
        QCOMPARE(form->at("type").value, std::string("input"));
    }

    void refusesDamagedForms_data() {
        testing::addTable<QString, QByteArray>(
            {"type", "body"},
            {{"no end", "multipart/form-data; boundary=XX", formOf("")},
             {"another boundary", "multipart/form-data; boundary=YY", formOf("--XX--")},
             {"no boundary", "multipart/form-data", formOf("--XX--")},
             {"another type", "text/plain; boundary=XX", formOf("--XX--")},
             {"no name",
              "multipart/form-data; boundary=XX",
              QByteArray("--XX\r\nA: b\r\n\r\n1\r\n--XX--")},
             {"header without an end",
              "multipart/form-data; boundary=XX",
              QByteArray("--XX\r\n") + QByteArray(9000, 'a')},
             {"nothing", "multipart/form-data; boundary=XX", QByteArray()}});
    }

    void refusesDamagedForms() {
        QFETCH(QString, type);
        QFETCH(QByteArray, body);
        QVERIFY(!service::readForm(type.toStdString(), body.toStdString()));
    }
};

LOWTIDE_TEST(HttpTest)

}  // namespace http_test

#include "http_test.moc"
