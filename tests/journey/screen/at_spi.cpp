#include "tests/journey/screen/at_spi.hpp"

#include <QDBusArgument>
#include <QDBusObjectPath>
#include <QDBusPendingCall>
#include <QDBusVariant>
#include <QFile>
#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <csignal>
#include <stdexcept>
#include <sys/prctl.h>

namespace lowtide::testing {

namespace {

constexpr int kDaemonMilliseconds = 20000;
constexpr int kBusMilliseconds = 20000;
constexpr const char* kAccessible = "org.a11y.atspi.Accessible";
constexpr const char* kComponent = "org.a11y.atspi.Component";
constexpr const char* kActions = "org.a11y.atspi.Action";
constexpr const char* kValue = "org.a11y.atspi.Value";
constexpr const char* kText = "org.a11y.atspi.Text";
constexpr const char* kEditable = "org.a11y.atspi.EditableText";
constexpr const char* kEvents = "org.a11y.atspi.Event.Object";
constexpr const char* kRoot = "/org/a11y/atspi/accessible/root";

const AtSpi::Object kRegistry{"org.a11y.atspi.Registry", "/org/a11y/atspi/registry"};

/// Qt reports values only to clients that ask for them by name.
constexpr std::array kReportedEvents{"object:property-change",
                                     "object:property-change:accessible-value",
                                     "object:state-changed",
                                     "object:children-changed",
                                     "object:announcement"};

[[noreturn]] void refuse(const QString& what) {
    throw std::runtime_error(what.toStdString());
}

AtSpi::Object objectIn(const QDBusArgument& argument) {
    AtSpi::Object object;
    QDBusObjectPath path;
    argument.beginStructure();
    argument >> object.service >> path;
    argument.endStructure();
    object.path = path.path();
    return object;
}

std::vector<AtSpi::Object> objectsIn(const QVariant& answer) {
    std::vector<AtSpi::Object> objects;
    if (answer.canConvert<QDBusArgument>()) {
        const auto list = answer.value<QDBusArgument>();
        list.beginArray();
        while (!list.atEnd()) {
            objects.push_back(objectIn(list));
        }
        list.endArray();
    }
    return objects;
}

/// None: it is gone.
QList<uint> statesIn(const QVariant& answer) {
    QList<uint> words;
    if (answer.canConvert<QDBusArgument>()) {
        answer.value<QDBusArgument>() >> words;
    }
    return words;
}

bool isIn(const QList<uint>& states, AtSpi::State state) {
    constexpr uint kBits = 32;
    const auto bit = static_cast<uint>(state);
    return (states.value(static_cast<int>(bit / kBits)) >> (bit % kBits)) & 1U;
}

QDBusMessage question(const AtSpi::Object& object,
                      const QString& interface,
                      const QString& method,
                      const QVariantList& arguments = {}) {
    QDBusMessage call =
        QDBusMessage::createMethodCall(object.service, object.path, interface, method);
    call.setArguments(arguments);
    return call;
}

/// Others are never asked for what is in them: most objects of a window are these.
bool hasParts(AtSpi::Role role) {
    using Role = AtSpi::Role;
    return role != Role::Label && role != Role::CheckBox && role != Role::CheckMenuItem &&
           role != Role::RadioButton && role != Role::PageTab && role != Role::Text &&
           role != Role::TableCell;
}

QVariant unpacked(const QVariant& value) {
    return value.canConvert<QDBusVariant>() ? unpacked(value.value<QDBusVariant>().variant())
                                            : value;
}

}  // namespace

void endWithTest(QProcess& process) {
    process.setChildProcessModifier([] { prctl(PR_SET_PDEATHSIG, SIGTERM); });
}

PrivateBus::PrivateBus() {
    endWithTest(daemon_);
    daemon_.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("XDG_RUNTIME_DIR", runtime_.path());
    daemon_.setProcessEnvironment(environment);
    daemon_.start(
        "dbus-daemon",
        {"--session", "--nofork", "--print-address=1", "--address=unix:tmpdir=" + runtime_.path()});
    if (!daemon_.waitForStarted() || !daemon_.waitForReadyRead(kDaemonMilliseconds)) {
        throw std::runtime_error(
            "dbus-daemon did not start; install the Debian package dbus-daemon");
    }
    address_ = QString::fromUtf8(daemon_.readLine()).trimmed();
    if (!QFile::exists("/usr/share/dbus-1/services/org.a11y.Bus.service")) {
        throw std::runtime_error(
            "there is no accessibility bus; install the Debian package at-spi2-core");
    }
}

PrivateBus::~PrivateBus() {
    daemon_.terminate();
    daemon_.waitForFinished();
}

AtSpi::AtSpi(const PrivateBus& session) : bus_(QString()) {
    {
        const QDBusConnection own = QDBusConnection::connectToBus(session.address(), "session");
        const QDBusMessage answer =
            own.call(QDBusMessage::createMethodCall(
                         "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"),
                     QDBus::Block,
                     kBusMilliseconds);
        if (answer.arguments().isEmpty()) {
            refuse("the accessibility bus does not start: " + answer.errorMessage());
        }
        bus_ = QDBusConnection::connectToBus(answer.arguments().front().toString(), "reader");
    }
    if (!bus_.isConnected()) {
        refuse("the accessibility bus cannot be reached: " + bus_.lastError().message());
    }
    for (const char* signal : {"PropertyChange", "StateChanged", "ChildrenChanged"}) {
        bus_.connect(QString(), QString(), kEvents, signal, this, SLOT(takeEvent(QDBusMessage)));
    }
    bus_.connect(
        QString(), QString(), kEvents, "Announcement", this, SLOT(takeAnnouncement(QDBusMessage)));
}

AtSpi::~AtSpi() {
    QDBusConnection::disconnectFromBus("reader");
    QDBusConnection::disconnectFromBus("session");
}

void AtSpi::enlist() {
    for (const char* event : kReportedEvents) {
        ask(kRegistry,
            kRegistry.service,
            "RegisterEvent",
            {QString(event), QStringList(), QString()});
    }
}

/// What Qt 6.4 was once asked to report it reports until it ends; its filter of keys goes with the
/// last client that was enlisted.
void AtSpi::withdraw(const Object& program) {
    for (const char* event : kReportedEvents) {
        ask(kRegistry, kRegistry.service, "DeregisterEvent", {QString(event)});
    }
    static_cast<void>(role(program));  // it has heard of that by the time it answers
}

QVariant AtSpi::ask(const Object& object,
                    const QString& interface,
                    const QString& method,
                    const QVariantList& arguments) const {
    return bus_.call(question(object, interface, method, arguments), QDBus::Block, kBusMilliseconds)
        .arguments()
        .value(0);
}

QVariant AtSpi::property(const Object& object,
                         const QString& interface,
                         const QString& name) const {
    return unpacked(ask(object, "org.freedesktop.DBus.Properties", "Get", {interface, name}));
}

std::optional<AtSpi::Object> AtSpi::program(const QString& name, int milliseconds) {
    std::optional<Object> found;
    const Object desktop{"org.a11y.atspi.Registry", kRoot};
    static_cast<void>(QTest::qWaitFor(
        [&] {
            for (const Object& each : children(desktop)) {
                found = this->name(each) == name ? std::optional(each) : found;
            }
            return found.has_value();
        },
        milliseconds));
    return found;
}

QString AtSpi::name(const Object& object) const {
    return property(object, kAccessible, "Name").toString();
}

QString AtSpi::description(const Object& object) const {
    return property(object, kAccessible, "Description").toString();
}

AtSpi::Role AtSpi::role(const Object& object) const {
    return static_cast<Role>(ask(object, kAccessible, "GetRole").toUInt());
}

std::optional<AtSpi::Object> AtSpi::parent(const Object& object) const {
    const QVariant answer = property(object, kAccessible, "Parent");
    return answer.canConvert<QDBusArgument>()
               ? std::optional(objectIn(answer.value<QDBusArgument>()))
               : std::nullopt;
}

bool AtSpi::is(const Object& object, State state) const {
    return isIn(statesIn(ask(object, kAccessible, "GetState")), state);
}

QRect AtSpi::rect(const Object& object) const {
    constexpr uint kOnScreen = 0;
    const QVariant answer = ask(object, kComponent, "GetExtents", {kOnScreen});
    if (!answer.canConvert<QDBusArgument>()) {
        return {};
    }
    int x = 0, y = 0, width = 0, height = 0;
    const auto rectangle = answer.value<QDBusArgument>();
    rectangle.beginStructure();
    rectangle >> x >> y >> width >> height;
    rectangle.endStructure();
    return {x, y, width, height};
}

std::vector<AtSpi::Object> AtSpi::children(const Object& object) const {
    return objectsIn(ask(object, kAccessible, "GetChildren"));
}

QStringList AtSpi::actions(const Object& object) const {
    QStringList names;
    const QVariant answer = ask(object, kActions, "GetActions");
    if (!answer.canConvert<QDBusArgument>()) {
        return names;
    }
    const auto list = answer.value<QDBusArgument>();
    list.beginArray();
    while (!list.atEnd()) {
        QString name, description, keys;
        list.beginStructure();
        list >> name >> description >> keys;
        list.endStructure();
        names << name;
    }
    list.endArray();
    return names;
}

bool AtSpi::act(const Object& object, const QString& action) const {
    const auto index = actions(object).indexOf(action);
    return index >= 0 && ask(object, kActions, "DoAction", {static_cast<int>(index)}).toBool();
}

double AtSpi::value(const Object& object) const {
    return property(object, kValue, "CurrentValue").toDouble();
}

void AtSpi::setValue(const Object& object, double value) const {
    QDBusMessage set = QDBusMessage::createMethodCall(
        object.service, object.path, "org.freedesktop.DBus.Properties", "Set");
    set << QString(kValue) << QString("CurrentValue") << QVariant::fromValue(QDBusVariant(value));
    bus_.call(set, QDBus::NoBlock);  // Qt 6.4 does not answer
}

QString AtSpi::text(const Object& object) const {
    return ask(object, kText, "GetText", {0, -1}).toString();
}

void AtSpi::setText(const Object& object, const QString& text) const {
    ask(object, kEditable, "SetTextContents", {text});
}

std::optional<AtSpi::Object> AtSpi::findNow(const Object& root,
                                            Role role,
                                            const QString& name) const {
    for (const Object& each : children(root)) {
        if (this->role(each) == role && this->name(each) == name) {
            return each;
        }
        if (const std::optional<Object> found = findNow(each, role, name)) {
            return found;
        }
    }
    return std::nullopt;
}

std::optional<AtSpi::Object> AtSpi::find(const Object& root,
                                         Role role,
                                         const QString& name,
                                         int milliseconds) const {
    std::optional<Object> found;
    static_cast<void>(QTest::qWaitFor(
        [&] {
            found = findNow(root, role, name);
            return found.has_value();
        },
        milliseconds));
    return found;
}

/// Everything is asked before the first answer is waited for, which costs changes of threads.
std::vector<AtSpi::Look> AtSpi::visibleIn(const Object& parent) const {
    const auto ask = [this](const Object& object, const char* method) {
        return bus_.asyncCall(question(object, kAccessible, method), kBusMilliseconds);
    };
    const auto answer = [](QDBusPendingCall& call) {
        call.waitForFinished();
        return call.reply().arguments().value(0);
    };
    const std::vector<Object> objects = children(parent);
    std::vector<std::pair<QDBusPendingCall, QDBusPendingCall>> asked;
    for (const Object& each : objects) {
        asked.emplace_back(ask(each, "GetRole"), ask(each, "GetState"));
    }
    std::vector<Look> visible;
    for (size_t i = 0; i < objects.size(); ++i) {
        const auto role = static_cast<Role>(answer(asked[i].first).toUInt());
        const QList<uint> states = statesIn(answer(asked[i].second));
        // A panel behind the tab of another is visible, and lies outside the screen.
        const bool isAside = role == Role::Frame && rect(objects[i]).right() < 0;
        if (!isAside && isIn(states, State::Visible)) {
            visible.push_back({objects[i], role, states});
        }
    }
    return visible;
}

void AtSpi::collect(const Object& root,
                    const Fits& fits,
                    size_t most,
                    std::vector<Object>& found) const {
    for (const Look& each : visibleIn(root)) {
        if (found.size() < most && fits(each)) {
            found.push_back(each.object);
        }
        if (found.size() < most && hasParts(each.role)) {
            collect(each.object, fits, most, found);
        }
    }
}

std::optional<AtSpi::Object> AtSpi::seen(const Object& root,
                                         Role role,
                                         const QString& beginning) const {
    const std::vector<Object> found = allSeen(root, role, beginning, 1);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

std::vector<AtSpi::Object> AtSpi::allSeen(const Object& root,
                                          Role role,
                                          const QString& beginning,
                                          size_t most) const {
    std::vector<Object> found;
    const Fits fits = [&](const Look& its) {
        return its.role == role && (beginning.isEmpty() || name(its.object).startsWith(beginning));
    };
    if (role != Role::Dialog) {
        collect(root, fits, most, found);
        return found;
    }
    for (const Look& window : visibleIn(root)) {  // nothing else has dialogs in it
        if (found.size() < most && fits(window)) {
            found.push_back(window.object);
        }
    }
    return found;
}

std::vector<AtSpi::Object> AtSpi::takingKeys(const Object& root) const {
    const auto isPart = [](Role role) {
        return role == Role::ListItem || role == Role::TableCell || role == Role::MenuItem ||
               role == Role::Filler || role == Role::Frame;
    };
    std::vector<Object> found;
    collect(
        root,
        [&](const Look& its) { return !isPart(its.role) && isIn(its.states, State::Focusable); },
        SIZE_MAX,
        found);
    return found;
}

bool AtSpi::hasReported(const Object& object, const QString& what) const {
    return std::any_of(events_.begin(), events_.end(), [&](const Event& event) {
        return event.what == what && event.object.path == object.path;
    });
}

void AtSpi::takeAnnouncement(const QDBusMessage& message) {
    announcements_ << unpacked(message.arguments().value(3)).toString();
}

void AtSpi::takeEvent(const QDBusMessage& message) {
    events_.push_back(
        {message.arguments().value(0).toString(), {message.service(), message.path()}});
    if (events_.back().what == "focused" && message.arguments().value(1).toInt() == 1) {
        focused_ = events_.back().object;
        ++focusMoves_;
    }
}

}  // namespace lowtide::testing
