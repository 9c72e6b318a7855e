// What clients do wrong ends their connections and nothing else. A handler that is played answers.

#include "plugin/base/error.hpp"
#include "service/server.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace server_test {

using namespace lowtide;
using service::Request;
using service::Response;
using service::Server;

namespace {

class EchoReader final : public service::SocketReader {
public:
    void opened(const std::shared_ptr<service::Socket>& socket) override { socket_ = socket; }

    void text(const std::string& text) override {
        socket_->sendText(text, service::Socket::Need::Always);
    }

    void closed() override { socket_.reset(); }

private:
    std::shared_ptr<service::Socket> socket_;
};

class PlayedHandler final : public service::Handler {
public:
    std::optional<Response> refused(const Request& request) override {
        return request.pathText() == "/refused" ? std::optional(service::emptyResponse(401))
                                                : std::nullopt;
    }

    uint64_t mostBytes(const Request&) override { return 1000; }

    Response answer(const Request& request) override {
        if (request.pathText() == "/throws") {
            throw std::runtime_error("made to fail");
        }
        return service::textResponse(200, request.method + " " + request.body);
    }

    std::shared_ptr<service::SocketReader> reader(const Request& request) override {
        return request.pathText() == "/ws" ? std::make_shared<EchoReader>() : nullptr;
    }
};

/// A client that sends what it likes.
class Client {
public:
    explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connect(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    }

    explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof(address.sun_path) - 1);
        connect(reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    }

    ~Client() { ::close(socket_); }

    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(const QByteArray& bytes) const {
        (void)::send(socket_, bytes.constData(), size_t(bytes.size()), MSG_NOSIGNAL);
    }

    void sendNoMore() const { ::shutdown(socket_, SHUT_WR); }

    /// What comes until the connection ends, or until `end`.
    [[nodiscard]] QByteArray received(const QByteArray& end = {}) const {
        QByteArray all;
        char piece[4096];
        for (;;) {
            const ssize_t count = ::recv(socket_, piece, sizeof(piece), 0);
            if (count <= 0) {
                return all;
            }
            all.append(piece, qsizetype(count));
            if (!end.isEmpty() && all.contains(end)) {
                return all;
            }
        }
    }

private:
    void connect(const sockaddr* address, socklen_t size) const {
        const timeval patience{.tv_sec = 10, .tv_usec = 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        (void)::connect(socket_, address, size);
    }

    const int socket_;
};

const QByteArray kClose = "Host: localhost\r\nConnection: close\r\n\r\n";

}  // namespace

class ServerTest : public QObject {
    Q_OBJECT

    PlayedHandler handler_;
    std::unique_ptr<Server> server_;
    uint16_t port_ = 0;

    [[nodiscard]] QByteArray answerTo(const QByteArray& bytes) const {
        const Client client(port_);
        client.send(bytes);
        return client.received();
    }

    [[nodiscard]] bool answers() const {
        return answerTo("GET /a HTTP/1.1\r\n" + kClose).contains("200 OK");
    }

private Q_SLOTS:

    void init() {
        server_ = std::make_unique<Server>(
            handler_,
            service::ServerLimits{
                .connections = 8, .messageBytes = 1000, .patience = std::chrono::seconds(1)});
        port_ = server_->listen("127.0.0.1", 0);
    }

    void cleanup() { server_.reset(); }

    void answersWhatIsAsked_data() {
        testing::addTable<QByteArray, QByteArray>(
            {"request", "line"},
            {{"get", "GET /a HTTP/1.1\r\n" + kClose, "200 OK"},
             {"no HTTP", "GARBAGE\r\n\r\n", "400 Bad Request"},
             {"bytes", QByteArray(200, '\xff'), "400 Bad Request"},
             {"bad target", "GET /%zz HTTP/1.1\r\n" + kClose, "400 Bad Request"},
             {"large header",
              "GET /a HTTP/1.1\r\nX: " + QByteArray(40000, 'a') + "\r\n" + kClose,
              "431 "},
             {"large body", "POST /a HTTP/1.1\r\nContent-Length: 1001\r\n" + kClose, "413 "},
             {"huge body",
              "POST /a HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n" + kClose,
              "413 "},
             {"large pieces",
              "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + kClose + "7d0\r\n" +
                  QByteArray(2000, 'a') + "\r\n0\r\n\r\n",
              "413 "},
             {"refused with a body",
              "POST /refused HTTP/1.1\r\nContent-Length: 900\r\n" + kClose,
              "401 "},
             {"fails", "GET /throws HTTP/1.1\r\n" + kClose, "500 "},
             {"no socket there",
              "GET /a HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nHost: a\r\n\r\n",
              "404 "}});
    }

    void answersWhatIsAsked() {
        QFETCH(QByteArray, request);
        QFETCH(QByteArray, line);
        const QByteArray answer = answerTo(request);
        QVERIFY2(answer.startsWith("HTTP/1.1 " + line), answer.constData());
        QVERIFY(answers());
    }

    void keepsConnectionsOpen() {
        const Client client(port_);
        client.send(
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none"
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\ntwo");
        const QByteArray answers = client.received();
        QVERIFY2(answers.contains("POST one") && answers.endsWith("POST two"), answers.constData());
    }

    /// Half a header, half a body, nothing: the connection ends.
    void endsSlowClients_data() {
        testing::addTable<QByteArray>(
            {"request"},
            {{"nothing", ""},
             {"half a header", "GET /a HT"},
             {"half a body", "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf"}});
    }

    void endsSlowClients() {
        QFETCH(QByteArray, request);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(answerTo(request).isEmpty());
        QVERIFY2(timer.elapsed() < 8000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(answers());
    }

    void refusesOneConnectionTooMany() {
        std::vector<std::unique_ptr<Client>> clients;
        for (int i = 0; i < 8; ++i) {
            clients.push_back(std::make_unique<Client>(port_));
        }
        QTest::qWait(200);
        QVERIFY(answerTo("").startsWith("HTTP/1.1 503 "));
        clients.clear();
        QTRY_VERIFY(answers());
    }

    void echoesOnAWebSocket() {
        const Client client(port_);
        client.send(
            "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n");
        QVERIFY(client.received("\r\n\r\n").contains("101 Switching"));
        client.send(QByteArray::fromHex("818200000000") + "hi");
        QVERIFY(client.received("hi").endsWith(QByteArray::fromHex("8102") + "hi"));
        client.send(QByteArray::fromHex("81fe07d000000000") + QByteArray(2000, 'a'));
        (void)client.received();  // too large: it ends
        QVERIFY(answers());
    }

    void endsWithClientsConnected() {
        const Client idle(port_);
        const Client half(port_);
        half.send("GET /a HT");
        server_.reset();
        QVERIFY(idle.received().isEmpty());
    }

    void refusesAPortThatIsTaken() {
        Server other(handler_);
        QVERIFY_EXCEPTION_THROWN(other.listen("127.0.0.1", port_), Error);
        QVERIFY_EXCEPTION_THROWN(other.listen("nowhere", 0), Error);
    }

    void hasASocketFileAlone() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("s").toStdString();
        {
            Server first(handler_);
            first.listen(path);
            Server second(handler_);
            QVERIFY_EXCEPTION_THROWN(second.listen(path), Error);
            const Client client(path);
            client.send("GET /a HTTP/1.1\r\n" + kClose);
            QVERIFY(client.received().contains("200 OK"));
            QCOMPARE(
                QFile::permissions(folder.filePath("s")) &
                    (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther | QFile::WriteOther),
                QFile::Permissions());
        }
        QVERIFY(!QFileInfo::exists(folder.filePath("s")));
    }

    /// As kill -9 leaves it.
    void replacesASocketThatWasLeftBehind() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("s").toStdString();
        const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof(address.sun_path) - 1);
        QCOMPARE(::bind(left, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
        ::close(left);
        Server server(handler_);
        server.listen(path);
        const Client client(path);
        client.send("GET /a HTTP/1.1\r\n" + kClose);
        QVERIFY(client.received().contains("200 OK"));
    }

    void leavesAnotherFileAlone() {
        const QTemporaryDir folder;
        QFile file(folder.filePath("s"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        Server server(handler_);
        QVERIFY_EXCEPTION_THROWN(server.listen(file.fileName().toStdString()), Error);
        QVERIFY(file.exists());
    }
};

LOWTIDE_TEST(ServerTest)

}  // namespace server_test

#include "server_test.moc"
