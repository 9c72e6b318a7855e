#include "ui/access/announce.hpp"

#include <QAccessible>
#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusObjectPath>
#include <QVariant>
#include <QWidget>

#include <utility>

namespace lowtide::ui {

namespace {

std::function<void(QAccessibleEvent&)>& testListener() {
    static std::function<void(QAccessibleEvent&)> listener;
    return listener;
}

constexpr const char* kAnnounced = "announced";
constexpr const char* kObjects = "/org/a11y/atspi/accessible/";

/// An object on the bus of AT-SPI, as its signals name it.
struct BusObject {
    QString service;
    QDBusObjectPath path;
};

QDBusArgument& operator<<(QDBusArgument& argument, const BusObject& object) {
    argument.beginStructure();
    argument << object.service << object.path;
    argument.endStructure();
    return argument;
}

const QDBusArgument& operator>>(const QDBusArgument& argument, BusObject& object) {
    argument.beginStructure();
    argument >> object.service >> object.path;
    argument.endStructure();
    return argument;
}

/// The signal "object:announcement" of AT-SPI 2.46. Qt's own bridge has a connection of that name.
void sendToBus(QAccessible::Id speaker, const QString& sentence, Urgency urgency) {
    const QDBusConnection bus(QStringLiteral("a11y"));
    if (!bus.isConnected()) {
        return;
    }
    qDBusRegisterMetaType<BusObject>();
    QDBusMessage signal =
        QDBusMessage::createSignal(QLatin1String(kObjects) + QString::number(speaker),
                                   QStringLiteral("org.a11y.atspi.Event.Object"),
                                   QStringLiteral("Announcement"));
    const BusObject root{bus.baseService(),
                         QDBusObjectPath(QLatin1String(kObjects) + QStringLiteral("root"))};
    signal << QString() << (urgency == Urgency::Urgent ? 2 : 1) << 0
           << QVariant::fromValue(QDBusVariant(sentence)) << QVariant::fromValue(root);
    bus.send(signal);
}

}  // namespace

bool isListenedTo() {
    return QAccessible::isActive() || testListener() != nullptr;
}

void announceAccess(QAccessibleEvent& event) {
    if (testListener()) {
        testListener()(event);
    } else {
        QAccessible::updateAccessibility(&event);
    }
}

void setTestListener(std::function<void(QAccessibleEvent&)> listener) {
    testListener() = std::move(listener);
}

void announce(QWidget& speaker, const QString& sentence, Urgency urgency) {
    QAccessibleInterface* accessible = isListenedTo() && !sentence.isEmpty()
                                           ? QAccessible::queryAccessibleInterface(&speaker)
                                           : nullptr;
    if (accessible == nullptr) {
        return;
    }
    speaker.setProperty(kAnnounced, sentence);
    QAccessibleEvent alert(&speaker, QAccessible::Alert);
    announceAccess(alert);
    sendToBus(QAccessible::uniqueId(accessible), sentence, urgency);
}

QString lastAnnounced(const QWidget& speaker) {
    return speaker.property(kAnnounced).toString();
}

}  // namespace lowtide::ui
