#include "tests/journey/screen/screen.hpp"

#include <QElapsedTimer>
#include <QtTest/QtTest>

#include <array>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <xcb/xcb.h>

namespace lowtide::testing {

namespace {

struct Free {
    void operator()(void* answer) const { std::free(answer); }
};

template <class Answer>
std::unique_ptr<Answer, Free> owned(Answer* answer) {
    return std::unique_ptr<Answer, Free>(answer);
}

constexpr int kToolMilliseconds = 20000;
constexpr int kAnswerMilliseconds = 500;
constexpr int kSteps = 12;  ///< of a drag, between two positions

QString outputOf(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    const bool isOver = process.waitForFinished(kToolMilliseconds);
    if (!isOver || process.exitCode() != 0) {
        throw std::runtime_error((program + ' ' + arguments.join(' ') + ": " +
                                  QString::fromUtf8(process.readAllStandardError()))
                                     .toStdString());
    }
    return QString::fromUtf8(process.readAllStandardOutput());
}

QStringList movedTo(const QPoint& point) {
    return {"mousemove", QString::number(point.x()), QString::number(point.y())};
}

QStringList buttonArgument(Screen::Button button) {
    return {QString::number(static_cast<int>(button))};
}

void tool(const QStringList& arguments) {
    outputOf("xdotool", arguments);
}

}  // namespace

void XServer::Disconnect::operator()(xcb_connection_t* connection) const {
    xcb_disconnect(connection);
}

XServer::XServer() : connection_(xcb_connect(nullptr, nullptr)) {
    if (xcb_connection_has_error(connection_.get()) != 0) {
        throw std::runtime_error("there is no X server");
    }
    root_ = xcb_setup_roots_iterator(xcb_get_setup(connection_.get())).data->root;
    protocols_ = atom("WM_PROTOCOLS");
    ping_ = atom("_NET_WM_PING");
    const uint32_t notified = XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_change_window_attributes(connection_.get(), root_, XCB_CW_EVENT_MASK, &notified);
    setRepeat(XCB_AUTO_REPEAT_MODE_OFF);
}

XServer::~XServer() {
    setRepeat(XCB_AUTO_REPEAT_MODE_DEFAULT);
}

void XServer::setRepeat(uint32_t mode) const {
    xcb_change_keyboard_control(connection_.get(), XCB_KB_AUTO_REPEAT_MODE, &mode);
    xcb_flush(connection_.get());
}

uint32_t XServer::atom(const char* name) const {
    const auto asked =
        xcb_intern_atom(connection_.get(), 0, static_cast<uint16_t>(std::strlen(name)), name);
    const auto answer = owned(xcb_intern_atom_reply(connection_.get(), asked, nullptr));
    return answer ? answer->atom : 0;
}

bool XServer::hasTitle(Window window) const {
    const auto asked = xcb_get_property(
        connection_.get(), 0, window, XCB_ATOM_WM_NAME, XCB_GET_PROPERTY_TYPE_ANY, 0, 1);
    const auto answer = owned(xcb_get_property_reply(connection_.get(), asked, nullptr));
    return answer && xcb_get_property_value_length(answer.get()) > 0;
}

XServer::Window XServer::uppermost() const {
    const auto asked = xcb_query_tree(connection_.get(), root_);
    const auto tree = owned(xcb_query_tree_reply(connection_.get(), asked, nullptr));
    if (!tree) {
        return 0;
    }
    const Window* windows = xcb_query_tree_children(tree.get());  // the lowest comes first
    for (int index = xcb_query_tree_children_length(tree.get()) - 1; index >= 0; --index) {
        const auto of = xcb_get_window_attributes(connection_.get(), windows[index]);
        const auto its = owned(xcb_get_window_attributes_reply(connection_.get(), of, nullptr));
        if (its && its->map_state == XCB_MAP_STATE_VIEWABLE && hasTitle(windows[index])) {
            return windows[index];
        }
    }
    return 0;
}

QSize XServer::sizeOf(Window window) const {
    const auto asked = xcb_get_geometry(connection_.get(), window);
    const auto answer = owned(xcb_get_geometry_reply(connection_.get(), asked, nullptr));
    return answer ? QSize(answer->width, answer->height) : QSize();
}

void XServer::focus(Window window) const {
    const auto asked = xcb_get_input_focus(connection_.get());
    const auto now = owned(xcb_get_input_focus_reply(connection_.get(), asked, nullptr));
    if (!now || now->focus != window) {
        xcb_set_input_focus(connection_.get(), XCB_INPUT_FOCUS_PARENT, window, XCB_CURRENT_TIME);
        xcb_flush(connection_.get());
    }
}

/// Programs send the question back, to the root.
bool XServer::isAnswer() const {
    while (const auto event = owned(xcb_poll_for_event(connection_.get()))) {
        xcb_client_message_event_t message{};
        std::memcpy(&message, event.get(), sizeof(message));
        if ((message.response_type & 0x7FU) == XCB_CLIENT_MESSAGE && message.type == protocols_ &&
            message.data.data32[0] == ping_ && message.data.data32[1] == asked_) {
            return true;
        }
    }
    return false;
}

bool XServer::isAnswered(Window window, int milliseconds) {
    xcb_client_message_event_t question{};
    question.response_type = XCB_CLIENT_MESSAGE;
    question.format = 32;
    question.window = window;
    question.type = protocols_;
    question.data.data32[0] = ping_;
    question.data.data32[1] = ++asked_;
    question.data.data32[2] = window;
    std::array<char, sizeof(question)> bytes{};
    std::memcpy(bytes.data(), &question, sizeof(question));
    xcb_send_event(connection_.get(), 0, window, XCB_EVENT_MASK_NO_EVENT, bytes.data());
    xcb_flush(connection_.get());
    QElapsedTimer waited;
    waited.start();
    while (!isAnswer()) {
        const auto left = milliseconds - waited.elapsed();
        if (left <= 0 || xcb_connection_has_error(connection_.get()) != 0) {
            return false;
        }
        pollfd ready{xcb_get_file_descriptor(connection_.get()), POLLIN, 0};
        poll(&ready, 1, static_cast<int>(left));
    }
    return true;
}

void Screen::moveTo(const QPoint& point) const {
    tool(movedTo(point));
}

void Screen::nudge() const {
    tool({"mousemove_relative", "2", "12"});
}

void Screen::click(const QPoint& point, Button button) const {
    tool(movedTo(point) + QStringList{"click"} + buttonArgument(button));
}

void Screen::clickOften(const QPoint& point, int times) const {
    tool(movedTo(point) +
         QStringList{"click", "--repeat", QString::number(times), "--delay", "40", "1"});
}

void Screen::clickHolding(const QString& held, const QPoint& point) const {
    tool(QStringList{"keydown", held} + movedTo(point) + QStringList{"click", "1", "keyup", held});
}

/// In small steps: a program that is notified of a jump alone sees no drag.
void Screen::drag(const QList<QPoint>& positions, const QString& held) const {
    QStringList arguments = held.isEmpty() ? QStringList() : QStringList{"keydown", held};
    arguments += movedTo(positions.front()) + QStringList{"mousedown", "1"};
    for (int next = 1; next < positions.size(); ++next) {
        const QPoint from = positions[next - 1];
        const QPoint way = positions[next] - from;
        for (int step = 1; step <= kSteps; ++step) {
            arguments += movedTo(from + way * step / kSteps) + QStringList{"sleep", "0.01"};
        }
    }
    arguments += QStringList{"mouseup", "1"};
    if (!held.isEmpty()) {
        arguments += QStringList{"keyup", held};
    }
    tool(arguments);
}

void Screen::press(const QStringList& keys) const {
    tool(QStringList{"key", "--delay", "20"} + keys);
}

void Screen::pressHolding(const QString& held, const QStringList& keys) const {
    QStringList arguments{"keydown", held};
    if (!keys.isEmpty()) {
        arguments += QStringList{"key", "--delay", "20"} + keys;
    }
    tool(arguments + QStringList{"keyup", held});
}

void Screen::type(const QString& text) const {
    tool({"type", "--delay", "20", text});
}

void Screen::focusUppermost() const {
    if (const XServer::Window window = server_.uppermost()) {
        server_.focus(window);
    }
}

/// A window that closes meanwhile does not answer: the next is asked.
bool Screen::waitTaken(const std::function<bool()>& isRunning, int milliseconds) {
    return QTest::qWaitFor(
        [&] {
            const XServer::Window window = server_.uppermost();
            return !isRunning() || (window != 0 && server_.isAnswered(window, kAnswerMilliseconds));
        },
        milliseconds);
}

QSize Screen::uppermostSize() const {
    return server_.sizeOf(server_.uppermost());
}

void Screen::keep(const QString& name) const {
    const QString folder = qEnvironmentVariable("LOWTIDE_SCREENSHOTS");
    if (!folder.isEmpty() && QDir().mkpath(folder)) {
        outputOf("ffmpeg",
                 {"-loglevel",
                  "error",
                  "-f",
                  "x11grab",
                  "-i",
                  qEnvironmentVariable("DISPLAY"),
                  "-frames:v",
                  "1",
                  "-y",
                  QDir(folder).filePath(name + ".png")});
    }
}

}  // namespace lowtide::testing
