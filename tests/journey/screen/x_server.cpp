#include "tests/journey/screen/x_server.hpp"

#include <QElapsedTimer>

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

}  // namespace lowtide::testing
