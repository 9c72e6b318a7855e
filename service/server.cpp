// The only file that sees Boost.
#include "service/server.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/log.hpp"
#include "plugin/base/text.hpp"
#include "service/os.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <future>
#include <limits>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace lowtide::service {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Failure = beast::error_code;
using Network =
    net::basic_stream_socket<net::generic::stream_protocol, net::io_context::executor_type>;
using Stream = beast::basic_stream<net::generic::stream_protocol, net::io_context::executor_type>;

constexpr const char* kName = "lowtide";
constexpr unsigned kAnsweringThreads = 4;
constexpr std::chrono::seconds kLingering{2};

std::chrono::seconds patienceFor(uint64_t bytes, const ServerLimits& limits) {
    return limits.patience + std::chrono::seconds(bytes / kSlowestBytes);
}

std::string textOf(beast::string_view text) {
    return {text.data(), text.size()};
}

class WebSocketConnection;

/// What the network's thread and all connections have in common.
struct Shared {
    Shared(Handler& itsHandler, const ServerLimits& itsLimits)
        : handler(itsHandler), limits(itsLimits) {}

    Handler& handler;
    const ServerLimits limits;
    // Of the network's thread, whose connections end with `network`:
    size_t connectionCount = 0;
    bool isStopping = false;
    std::set<WebSocketConnection*> sockets{};  ///< open ones
    net::io_context network{1};
    net::thread_pool answering{kAnsweringThreads};
};

/// Counts a connection while it lives, on the network's thread.
class CountedConnection {
public:
    explicit CountedConnection(Shared& shared) : shared_(shared) { ++shared_.connectionCount; }

    ~CountedConnection() { --shared_.connectionCount; }

    CountedConnection(const CountedConnection&) = delete;
    CountedConnection& operator=(const CountedConnection&) = delete;

private:
    Shared& shared_;
};

class WebSocketConnection final : public Socket,
                                  public std::enable_shared_from_this<WebSocketConnection> {
public:
    WebSocketConnection(Shared& shared, Stream stream, std::shared_ptr<SocketReader> reader)
        : shared_(shared),
          counted_(shared),
          stream_(std::move(stream)),
          reader_(std::move(reader)) {}

    void accept(const http::request<http::string_body>& request) {
        beast::get_lowest_layer(stream_).expires_never();
        websocket::stream_base::timeout times =
            websocket::stream_base::timeout::suggested(beast::role_type::server);
        times.handshake_timeout = shared_.limits.patience;
        stream_.set_option(times);
        stream_.set_option(websocket::stream_base::decorator(
            [](websocket::response_type& response) { response.set(http::field::server, kName); }));
        stream_.read_message_max(shared_.limits.messageBytes);
        stream_.async_accept(request, [self = shared_from_this()](Failure failure) {
            if (failure || self->shared_.isStopping) {
                return;
            }
            self->isOpen_ = true;
            self->shared_.sockets.insert(self.get());
            self->reader_->opened(self);
            self->read();
        });
    }

    void sendText(std::string text, Need need) override { send({std::move(text), false}, need); }

    void sendBytes(std::string bytes, Need need) override { send({std::move(bytes), true}, need); }

    void close() override {
        net::post(shared_.network, [self = shared_from_this()] { self->end(); });
    }

    /// Once: the client is gone, too slow, or not wanted any more.
    void end() {
        if (std::exchange(isOpen_, false)) {
            shared_.sockets.erase(this);
            reader_->closed();
            beast::get_lowest_layer(stream_).close();
        }
    }

private:
    struct Outgoing {
        std::string bytes;
        bool isBinary = false;
    };

    void send(Outgoing outgoing, Need need) {
        net::post(shared_.network,
                  [self = shared_from_this(), outgoing = std::move(outgoing), need]() mutable {
                      self->enqueue(std::move(outgoing), need);
                  });
    }

    void enqueue(Outgoing outgoing, Need need) {
        const ServerLimits& limits = shared_.limits;
        const bool mayBeMissed = need == Need::MayBeMissed;
        const size_t bytes = waitingBytes_ + outgoing.bytes.size();
        const size_t part = mayBeMissed ? 4 : 1;  // of the bounds
        if (!isOpen_) {
            return;
        }
        if (outgoing_.size() >= limits.waitingMessages / part ||
            (bytes > limits.waitingBytes / part && !outgoing_.empty())) {
            if (!mayBeMissed) {
                end();
            }
            return;
        }
        waitingBytes_ = bytes;
        outgoing_.push_back(std::move(outgoing));
        if (outgoing_.size() == 1) {
            write();
        }
    }

    void write() {
        stream_.binary(outgoing_.front().isBinary);
        stream_.async_write(net::buffer(outgoing_.front().bytes),
                            [self = shared_from_this()](Failure failure, size_t) {
                                if (failure) {
                                    self->end();
                                    return;
                                }
                                self->waitingBytes_ -= self->outgoing_.front().bytes.size();
                                self->outgoing_.pop_front();
                                if (!self->outgoing_.empty()) {
                                    self->write();
                                }
                            });
    }

    void read() {
        stream_.async_read(incoming_, [self = shared_from_this()](Failure failure, size_t) {
            if (failure) {
                self->end();
                return;
            }
            if (self->stream_.got_text()) {
                self->reader_->text(beast::buffers_to_string(self->incoming_.data()));
            }
            self->incoming_.consume(self->incoming_.size());
            self->read();
        });
    }

    Shared& shared_;
    CountedConnection counted_;
    websocket::stream<Stream> stream_;
    std::shared_ptr<SocketReader> reader_;
    beast::flat_buffer incoming_;
    std::deque<Outgoing> outgoing_;
    size_t waitingBytes_ = 0;
    bool isOpen_ = false;
};

/// One client's requests, one after the other.
class HttpConnection final : public std::enable_shared_from_this<HttpConnection> {
public:
    HttpConnection(Shared& shared, Network socket, bool isLocal)
        : shared_(shared), counted_(shared), stream_(std::move(socket)), isLocal_(isLocal) {}

    void start() {
        if (shared_.connectionCount > shared_.limits.connections) {
            keepsOpen_ = false;
            respond(refusal(503,
                            "too_many_connections",
                            message("{} connections are open already", shared_.limits.connections),
                            message("close some, or try again later")));
            return;
        }
        readHeader();
    }

private:
    using Parser = http::request_parser<http::string_body>;

    void readHeader() {
        parser_.emplace();
        parser_->header_limit(shared_.limits.headerBytes);
        parser_->body_limit(std::numeric_limits<uint64_t>::max());  // until the path is known
        stream_.expires_after(shared_.limits.patience);
        http::async_read_header(
            stream_, buffer_, *parser_, [self = shared_from_this()](Failure failure, size_t) {
                if (!failure) {
                    self->takeHeader();
                } else if (failure.category() ==
                           http::make_error_code(http::error::bad_target).category()) {
                    self->refuseParse(failure);
                }
            });
    }

    /// What is no request of HTTP; a client that left in the middle of one needs no answer.
    void refuseParse(const Failure& failure) {
        keepsOpen_ = false;
        if (failure == http::error::end_of_stream || failure == http::error::partial_message) {
            stream_.close();
        } else if (failure == http::error::header_limit) {
            respond(
                refusal(431,
                        "header_too_large",
                        message("the header is larger than {} bytes", shared_.limits.headerBytes)));
        } else if (failure == http::error::body_limit) {
            respond(refusal(
                413, "body_too_large", message("the body is larger than {} bytes", mostBytes_)));
        } else {
            respond(refusal(
                400, "bad_request", message("the request cannot be read: {}", failure.message())));
        }
    }

    void takeHeader() {
        const auto& head = parser_->get();
        request_ = {};
        request_.isLocalSocket = isLocal_;
        request_.method = textOf(head.method_string());
        isHead_ = request_.method == "HEAD";
        keepsOpen_ = head.keep_alive();
        for (const auto& field : head) {
            request_.headers.try_emplace(toLower(textOf(field.name_string())),
                                         textOf(field.value()));
        }
        if (!readTarget(textOf(head.target()), request_)) {
            refuseUnread(
                refusal(400,
                        "bad_target",
                        message("the path {} cannot be read", quotedName(textOf(head.target()))),
                        message("write it in UTF-8 with percent codes")));
            return;
        }
        if (std::optional<Response> refused = shared_.handler.refused(request_)) {
            refuseUnread(std::move(*refused));
            return;
        }
        if (websocket::is_upgrade(head)) {
            openSocket();
            return;
        }
        mostBytes_ = shared_.handler.mostBytes(request_);
        if (parser_->content_length().value_or(0) > mostBytes_) {
            refuseParse(http::make_error_code(http::error::body_limit));
            return;
        }
        parser_->body_limit(mostBytes_);
        if (beast::iequals(head[http::field::expect], "100-continue")) {
            sendContinue();
        } else {
            readBody();
        }
    }

    void openSocket() {
        std::shared_ptr<SocketReader> reader = shared_.handler.reader(request_);
        if (!reader) {
            refuseUnread(
                refusal(404,
                        "not_found",
                        message("there is no WebSocket at {}", quotedName(request_.pathText()))));
            return;
        }
        std::make_shared<WebSocketConnection>(shared_, std::move(stream_), std::move(reader))
            ->accept(parser_->get());
    }

    void sendContinue() {
        continue_.emplace(http::status::continue_, 11);
        stream_.expires_after(shared_.limits.patience);
        http::async_write(
            stream_, *continue_, [self = shared_from_this()](Failure failure, size_t) {
                if (!failure) {
                    self->readBody();
                }
            });
    }

    void readBody() {
        stream_.expires_after(
            patienceFor(parser_->content_length().value_or(mostBytes_), shared_.limits));
        http::async_read(
            stream_, buffer_, *parser_, [self = shared_from_this()](Failure failure, size_t) {
                if (!failure) {
                    self->answer();
                } else if (failure == http::error::body_limit) {
                    self->refuseParse(failure);
                }
            });
    }

    /// On another thread, so that the network goes on.
    void answer() {
        request_.body = std::move(parser_->get().body());
        stream_.expires_never();
        net::post(shared_.answering, [self = shared_from_this()]() mutable {
            Response response = self->answered();
            Shared& shared = self->shared_;
            net::post(shared.network,
                      [self = std::move(self), response = std::move(response)]() mutable {
                          self->respond(std::move(response));
                      });
        });
    }

    Response answered() noexcept {
        try {
            return shared_.handler.answer(request_);
        } catch (const std::exception& error) {
            log(Level::Error, std::string("a request failed: ") + error.what());
            return textResponse(500, error.what());
        }
    }

    void refuseUnread(Response response) {
        keepsOpen_ = false;
        respond(std::move(response));
    }

    void respond(Response response) {
        if (response.file.empty()) {
            auto written = std::make_shared<http::response<http::string_body>>();
            written->body() = std::move(response.body);
            write(std::move(written), response);
            return;
        }
        auto written = std::make_shared<http::response<http::file_body>>();
        Failure failure;
        written->body().open(response.file.c_str(), beast::file_mode::scan, failure);
        if (failure) {
            respond(emptyResponse(404));
        } else {
            write(std::move(written), response);
        }
    }

    template <class Body>
    void write(std::shared_ptr<http::response<Body>> written, const Response& response) {
        written->version(11);
        written->result(static_cast<unsigned>(response.status));
        written->set(http::field::server, kName);
        written->set("X-Content-Type-Options", "nosniff");
        if (!response.type.empty()) {
            written->set(http::field::content_type, response.type);
        }
        for (const auto& [name, value] : response.headers) {
            written->set(name, value);
        }
        keepsOpen_ = keepsOpen_ && !shared_.isStopping;
        written->keep_alive(keepsOpen_);
        written->prepare_payload();
        stream_.expires_after(patienceFor(written->payload_size().value_or(0), shared_.limits));
        auto serializer = std::make_shared<http::response_serializer<Body>>(*written);
        serializer->split(isHead_);
        const auto onEnd = [self = shared_from_this(), written, serializer](Failure failure,
                                                                            size_t) {
            if (failure) {
                return;
            }
            if (self->keepsOpen_) {
                self->readHeader();
            } else {
                self->linger();
            }
        };
        if (isHead_) {
            http::async_write_header(stream_, *serializer, onEnd);
        } else {
            http::async_write(stream_, *serializer, onEnd);
        }
    }

    /// What the client still sends is read for a while, so that it reads the answer: the system
    /// would discard it with the connection.
    void linger() {
        Failure ignored;
        stream_.socket().shutdown(net::socket_base::shutdown_send, ignored);
        stream_.expires_after(kLingering);
        discard();
    }

    void discard() {
        buffer_.clear();
        stream_.async_read_some(buffer_.prepare(64u << 10),
                                [self = shared_from_this()](Failure failure, size_t) {
                                    if (!failure) {
                                        self->discard();
                                    }
                                });
    }

    Shared& shared_;
    CountedConnection counted_;
    Stream stream_;
    beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    std::optional<http::response<http::empty_body>> continue_;
    Request request_;
    uint64_t mostBytes_ = 0;
    bool keepsOpen_ = true;
    bool isHead_ = false;
    const bool isLocal_;
};

/// Accepts clients of one address.
template <class Protocol>
class Listener final : public std::enable_shared_from_this<Listener<Protocol>> {
public:
    using Acceptor = net::basic_socket_acceptor<Protocol, net::io_context::executor_type>;

    Listener(Shared& shared, Acceptor acceptor)
        : shared_(shared), acceptor_(std::move(acceptor)), pause_(shared.network.get_executor()) {}

    void accept() {
        acceptor_.async_accept([self = this->shared_from_this()](Failure failure, auto socket) {
            if (!self->acceptor_.is_open()) {
                return;
            }
            if (failure) {  // no more files may be open: the next one comes in a while
                self->pause_.expires_after(std::chrono::milliseconds(200));
                self->pause_.async_wait([self](Failure) { self->accept(); });
                return;
            }
            constexpr bool kIsLocal = std::is_same_v<Protocol, net::local::stream_protocol>;
            std::make_shared<HttpConnection>(self->shared_, Network(std::move(socket)), kIsLocal)
                ->start();
            self->accept();
        });
    }

    void close() {
        Failure ignored;
        acceptor_.close(ignored);
        pause_.cancel();
    }

private:
    Shared& shared_;
    Acceptor acceptor_;
    net::basic_waitable_timer<std::chrono::steady_clock,
                              net::wait_traits<std::chrono::steady_clock>,
                              net::io_context::executor_type>
        pause_;
};

template <class Protocol>
typename Listener<Protocol>::Acceptor openAcceptor(Shared& shared,
                                                   const typename Protocol::endpoint& endpoint,
                                                   Failure& failure) {
    typename Listener<Protocol>::Acceptor acceptor(shared.network.get_executor());
    acceptor.open(endpoint.protocol(), failure);
    if (!failure && std::is_same_v<Protocol, net::ip::tcp>) {
        acceptor.set_option(net::socket_base::reuse_address(true), failure);
    }
    if (!failure) {
        acceptor.bind(endpoint, failure);
    }
    if (!failure) {
        acceptor.listen(net::socket_base::max_listen_connections, failure);
    }
    return acceptor;
}

}  // namespace

struct Server::State {
    State(Handler& handler, const ServerLimits& limits) : shared(handler, limits) {
        thread = std::thread([this] {
            const auto work = net::make_work_guard(shared.network);
            serve();
        });
    }

    /// What one connection throws, out of memory for instance, ends that connection alone.
    void serve() {
        for (;;) {
            try {
                shared.network.run();
                return;
            } catch (const std::exception& error) {
                log(Level::Error, std::string("a connection ended: ") + error.what());
            }
        }
    }

    template <class Protocol>
    void add(typename Listener<Protocol>::Acceptor acceptor) {
        auto listener = std::make_shared<Listener<Protocol>>(shared, std::move(acceptor));
        closings.push_back([listener] { listener->close(); });
        net::post(shared.network, [listener] { listener->accept(); });
    }

    Shared shared;
    std::thread thread;
    std::vector<std::function<void()>> closings;
    std::vector<std::unique_ptr<SocketFile>> files;
};

Server::Server(Handler& handler, const ServerLimits& limits)
    : state_(std::make_unique<State>(handler, limits)) {}

Server::~Server() {
    stop();
}

uint16_t Server::listen(const std::string& address, uint16_t port) {
    Failure failure;
    const net::ip::address parsed =
        net::ip::make_address(address == "localhost" ? "127.0.0.1" : address, failure);
    if (failure) {
        throw Error(ErrorKind::InvalidInput,
                    message("{} is no address", quotedName(address)),
                    message("use 127.0.0.1, ::1, or 0.0.0.0 for every network of this machine"));
    }
    auto acceptor = openAcceptor<net::ip::tcp>(state_->shared, {parsed, port}, failure);
    if (failure) {
        throw Error(ErrorKind::InvalidInput,
                    message("port {} of {} cannot be used: {}", port, address, failure.message()),
                    message("choose another one with --port; 0 takes a free one"));
    }
    const uint16_t chosen = acceptor.local_endpoint().port();
    state_->add<net::ip::tcp>(std::move(acceptor));
    return chosen;
}

void Server::listen(const std::string& socketPath) {
    auto file = std::make_unique<SocketFile>(socketPath);
    Failure failure;
    auto acceptor = file->made([&] {
        return openAcceptor<net::local::stream_protocol>(
            state_->shared, net::local::stream_protocol::endpoint(socketPath), failure);
    });
    if (failure) {
        throw Error(
            ErrorKind::InvalidInput,
            message("the socket {} cannot be made: {}", quotedName(socketPath), failure.message()),
            message("name another path with --socket"));
    }
    state_->files.push_back(std::move(file));
    state_->add<net::local::stream_protocol>(std::move(acceptor));
}

void Server::stop() {
    if (!state_->thread.joinable()) {
        return;
    }
    std::promise<void> closed;
    net::post(state_->shared.network, [&] {
        state_->shared.isStopping = true;
        for (const auto& close : state_->closings) {
            close();
        }
        while (!state_->shared.sockets.empty()) {
            (*state_->shared.sockets.begin())->end();
        }
        closed.set_value();
    });
    closed.get_future().wait();
    state_->shared.answering.join();
    state_->shared.network.stop();
    state_->thread.join();
    state_->files.clear();
}

}  // namespace lowtide::service
