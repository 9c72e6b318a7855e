#pragma once

#include <QSize>

#include <cstdint>
#include <memory>

struct xcb_connection_t;

namespace lowtide::testing {

/// The X server of the environment, known as a window manager knows it.
class XServer {
public:
    using Window = uint32_t;

    /// As long as it lives no key repeats itself, however late its release comes. Throws
    /// std::runtime_error where there is no server.
    XServer();
    ~XServer();
    XServer(const XServer&) = delete;
    XServer& operator=(const XServer&) = delete;

    /// The uppermost window that is seen and has a title, as menus, lists and tips have none; 0:
    /// none.
    [[nodiscard]] Window uppermost() const;
    [[nodiscard]] QSize sizeOf(Window window) const;
    /// Gives the keyboard to the window unless it has it.
    void focus(Window window) const;

    /// Asks the window whether it lives. Its program answers such questions in their order with
    /// keys and clicks: it has taken all that were sent before. False: no answer came in time.
    [[nodiscard]] bool isAnswered(Window window, int milliseconds);

private:
    void setRepeat(uint32_t mode) const;
    [[nodiscard]] uint32_t atom(const char* name) const;
    [[nodiscard]] bool hasTitle(Window window) const;
    [[nodiscard]] bool isAnswer() const;

    struct Disconnect {
        void operator()(xcb_connection_t* connection) const;
    };

    std::unique_ptr<xcb_connection_t, Disconnect> connection_;
    Window root_ = 0;
    uint32_t protocols_ = 0;  ///< the atoms WM_PROTOCOLS, _NET_WM_PING
    uint32_t ping_ = 0;
    uint32_t asked_ = 0;  ///< number of the last question
};

}  // namespace lowtide::testing
