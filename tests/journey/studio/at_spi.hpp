#pragma once

#include <QDBusConnection>
#include <QDBusMessage>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <functional>
#include <optional>
#include <vector>

namespace lowtide::testing {

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
        ComboBox = 11,
        Image = 27,
        List = 31,
        ListItem = 32,
        PushButton = 43,
        SpinButton = 52,
        Text = 61,
        Link = 88
    };

    /// An object of a program.
    struct Object {
        QString service;
        QString path;
    };

    /// The program of that name once it is there; nothing: it did not come.
    [[nodiscard]] std::optional<Object> program(const QString& name, int milliseconds);

    [[nodiscard]] QString name(const Object& object) const;
    [[nodiscard]] QString description(const Object& object) const;
    [[nodiscard]] Role role(const Object& object) const;
    [[nodiscard]] std::vector<Object> children(const Object& object) const;
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

    /// Sentences that programs had said, the oldest first.
    [[nodiscard]] const QStringList& announcements() const { return announcements_; }

    /// Whether the object told "focused", "accessible-value", ...
    [[nodiscard]] bool hasTold(const Object& object, const QString& what) const;

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

    struct Event {
        QString what;
        Object object;
    };

    QDBusConnection bus_;
    QStringList announcements_;
    std::vector<Event> events_;
};

}  // namespace lowtide::testing
