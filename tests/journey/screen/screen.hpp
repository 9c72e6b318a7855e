#pragma once

#include <QSize>
#include <QtCore>

#include <cstdint>
#include <functional>
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

/// The pointer and the keyboard of the X server, moved as by a user's hand: whatever is under the
/// pointer, or has the keyboard, gets them. Throws std::runtime_error where xdotool fails.
class Screen {
public:
    enum class Button { Left = 1, Middle = 2, Right = 3, WheelUp = 4, WheelDown = 5 };

    void moveTo(const QPoint& point) const;
    /// To the right and down, by a few pixels.
    void nudge() const;
    void click(const QPoint& point, Button button = Button::Left) const;
    /// Within the time that makes one double click of two, a line of three.
    void clickOften(const QPoint& point, int times = 2) const;
    /// With `held` ("ctrl", "shift") down meanwhile.
    void clickHolding(const QString& held, const QPoint& point) const;
    /// Press, through each position in small steps, release.
    void drag(const QList<QPoint>& positions, const QString& held = {}) const;

    /// "ctrl+shift+r"; one after the other.
    void press(const QStringList& keys) const;
    /// The others while `held` is down.
    void pressHolding(const QString& held, const QStringList& keys) const;
    void type(const QString& text) const;

    /// Gives the keyboard to the program's uppermost window, as a window manager does with a window
    /// that opens and with the one below a window that closes.
    void focusUppermost() const;

    /// Waits until the program has taken all keys and clicks, as long as `isRunning`; false: it did
    /// not in time.
    [[nodiscard]] bool waitTaken(const std::function<bool()>& isRunning, int milliseconds);

    /// Of the program's uppermost window, in pixels of the screen.
    [[nodiscard]] QSize uppermostSize() const;

    /// The whole screen as DIR/NAME.png where LOWTIDE_SCREENSHOTS names a folder; else nothing.
    void keep(const QString& name) const;

private:
    XServer server_;
};

}  // namespace lowtide::testing
