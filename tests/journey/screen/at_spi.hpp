#pragma once

#include <QDBusConnection>
#include <QDBusMessage>
#include <QtCore>

#include <functional>
#include <optional>
#include <vector>

namespace lowtide::testing {

/// The process is ended with the test, however that ends.
void endWithTest(QProcess& process);

/// A session bus of its own, which ends with it.
class PrivateBus {
public:
    /// Waits for the bus; throws std::runtime_error with what is missing.
    PrivateBus();
    ~PrivateBus();

    [[nodiscard]] const QString& address() const { return address_; }

    /// Holds the sockets of the bus.
    [[nodiscard]] QString runtimeFolder() const { return runtime_.path(); }

private:
    QTemporaryDir runtime_;
    QProcess daemon_;
    QString address_;
};

/// A screen reader's view of the programs on one bus: it reads and acts through AT-SPI alone.
class AtSpi : public QObject {
    Q_OBJECT

public:
    /// Starts the accessibility bus of the session.
    explicit AtSpi(const PrivateBus& session);
    ~AtSpi() override;

    /// Of at-spi2-core, "atspi-constants.h".
    enum class Role : uint {
        CheckBox = 7,
        CheckMenuItem = 8,
        ComboBox = 11,
        Dialog = 16,
        Filler = 20,
        Frame = 23,
        Image = 27,
        Label = 29,
        List = 31,
        ListItem = 32,
        MenuItem = 35,
        PageTab = 37,
        PushButton = 43,
        RadioButton = 44,
        Slider = 51,
        SpinButton = 52,
        Table = 55,
        TableCell = 56,
        Text = 61,
        ToggleButton = 62,
        Tree = 65,
        Link = 88
    };

    /// Of at-spi2-core, the bit of its state.
    enum class State : uint {
        Active = 1,
        Checked = 4,
        Enabled = 8,
        Focusable = 11,
        Focused = 12,
        Selected = 23,
        Showing = 25,
        Visible = 30
    };

    /// An object of a program.
    struct Object {
        QString service;
        QString path;
    };

    /// A program that starts from now on reports events. As long as somebody is enlisted, Qt's
    /// bridge asks the bus about each key before the program gets it; shortcuts overtake such keys.
    void enlist();
    /// The program goes on reporting, and gets its keys at once and in their order.
    void withdraw(const Object& program);

    /// The program of that name once it is there; nothing: it did not come.
    [[nodiscard]] std::optional<Object> program(const QString& name, int milliseconds);

    [[nodiscard]] QString name(const Object& object) const;
    [[nodiscard]] QString description(const Object& object) const;
    [[nodiscard]] Role role(const Object& object) const;
    [[nodiscard]] std::vector<Object> children(const Object& object) const;
    [[nodiscard]] std::optional<Object> parent(const Object& object) const;
    [[nodiscard]] bool is(const Object& object, State state) const;
    /// Where it is on the screen, in pixels; empty: nowhere.
    [[nodiscard]] QRect rect(const Object& object) const;
    [[nodiscard]] QStringList actions(const Object& object) const;
    /// False: it has no such action.
    [[nodiscard]] bool act(const Object& object, const QString& action) const;
    [[nodiscard]] double value(const Object& object) const;
    void setValue(const Object& object, double value) const;
    [[nodiscard]] QString text(const Object& object) const;
    void setText(const Object& object, const QString& text) const;

    /// The first object below `root` of that role and name; waits for it.
    [[nodiscard]] std::optional<Object> find(const Object& root,
                                             Role role,
                                             const QString& name,
                                             int milliseconds = 10000) const;

    /// The first visible object below `root` of that role whose name begins so; does not wait. What
    /// is hidden is not looked into.
    [[nodiscard]] std::optional<Object> seen(const Object& root,
                                             Role role,
                                             const QString& beginning) const;
    /// All of them, or the first ones.
    [[nodiscard]] std::vector<Object> allSeen(const Object& root,
                                              Role role,
                                              const QString& beginning = {},
                                              size_t most = SIZE_MAX) const;

    /// Every visible object to which the keyboard can be given, but rows, entries and frames of
    /// other things.
    [[nodiscard]] std::vector<Object> takingKeys(const Object& root) const;

    /// The object that reported last that it has the keyboard's focus.
    [[nodiscard]] const std::optional<Object>& focused() const { return focused_; }

    /// How often the focus moved.
    [[nodiscard]] size_t focusMoves() const { return focusMoves_; }

    /// Sentences that programs had announced, the oldest first.
    [[nodiscard]] const QStringList& announcements() const { return announcements_; }

    /// Whether the object reported "focused", "accessible-value", ...
    [[nodiscard]] bool hasReported(const Object& object, const QString& what) const;

private Q_SLOTS:
    void takeAnnouncement(const QDBusMessage& message);
    void takeEvent(const QDBusMessage& message);

private:
    QVariant ask(const Object& object,
                 const QString& interface,
                 const QString& method,
                 const QVariantList& arguments = {}) const;
    [[nodiscard]] QVariant property(const Object& object,
                                    const QString& interface,
                                    const QString& name) const;
    [[nodiscard]] std::optional<Object> findNow(const Object& root,
                                                Role role,
                                                const QString& name) const;

    /// A visible object.
    struct Look {
        Object object;
        Role role;
        QList<uint> states;
    };

    [[nodiscard]] std::vector<Look> visibleIn(const Object& parent) const;
    /// Visible objects that fit, `most` of them.
    using Fits = std::function<bool(const Look&)>;
    void collect(const Object& root,
                 const Fits& fits,
                 size_t most,
                 std::vector<Object>& found) const;

    struct Event {
        QString what;
        Object object;
    };

    QDBusConnection bus_;
    QStringList announcements_;
    std::vector<Event> events_;
    std::optional<Object> focused_;
    size_t focusMoves_ = 0;
};

}  // namespace lowtide::testing
