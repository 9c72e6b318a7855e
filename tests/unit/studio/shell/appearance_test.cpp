// What the desktop states of colours, contrast, motion and size of texts, by a portal that this
// test plays on a bus of its own.
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/studio/appearance.hpp"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusVirtualObject>
#include <QtTest/QtTest>

namespace appearance_test {

using namespace lowtide;
using namespace lowtide::ui;

using Scheme = Theme::Scheme;
using PortalMap = QMap<QString, QVariantMap>;

namespace {

constexpr int kBusMilliseconds = 10000;

/// Answers ReadAll with what is set and notifies of changes.
class PlayedPortal : public QDBusVirtualObject {
public:
    explicit PlayedPortal(const QString& address)
        : bus_(QDBusConnection::connectToBus(address, "portal")) {
        qDBusRegisterMetaType<PortalMap>();
        bus_.registerVirtualObject("/org/freedesktop/portal/desktop", this);
        bus_.registerService("org.freedesktop.portal.Desktop");
    }

    ~PlayedPortal() override { QDBusConnection::disconnectFromBus("portal"); }

    void put(const QString& space, const QString& key, const QVariant& value) {
        values_[space][key] = value;
        QDBusMessage signal = QDBusMessage::createSignal(
            "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", "SettingChanged");
        signal << space << key << QVariant::fromValue(QDBusVariant(value));
        bus_.send(signal);
    }

    [[nodiscard]] QString introspect(const QString&) const override { return {}; }

    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
        return message.member() == "ReadAll" &&
               connection.send(message.createReply(QVariant::fromValue(values_)));
    }

private:
    QDBusConnection bus_;
    PortalMap values_;
};

}  // namespace

class AppearanceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() {
        daemon_.start("dbus-daemon",
                      {"--session",
                       "--nofork",
                       "--print-address=1",
                       "--address=unix:tmpdir=" + folder_.path()});
        QVERIFY2(daemon_.waitForStarted() && daemon_.waitForReadyRead(kBusMilliseconds),
                 "dbus-daemon is missing");
        address_ = QString::fromUtf8(daemon_.readLine()).trimmed();
    }

    void init() {
        test::failOnQtWarnings();
        portal_ = std::make_unique<PlayedPortal>(address_);
        bus_ = std::make_unique<QDBusConnection>(QDBusConnection::connectToBus(address_, "studio"));
        QVERIFY(bus_->isConnected());
    }

    void cleanup() {
        Themed::instance().setMotionReduced(false);
        bus_.reset();
        QDBusConnection::disconnectFromBus("studio");
        portal_.reset();
    }

    void cleanupTestCase() {
        daemon_.kill();
        daemon_.waitForFinished();
    }

    void theDesktopsSchemeIsUsed_data() {
        testing::addTable<uint, uint, int>(
            {"scheme", "contrast", "used"},
            {{"dark", 1u, 0u, static_cast<int>(Scheme::Dark)},
             {"light", 2u, 0u, static_cast<int>(Scheme::Light)},
             {"dark, contrast", 1u, 1u, static_cast<int>(Scheme::DarkContrast)},
             {"light, contrast", 2u, 1u, static_cast<int>(Scheme::LightContrast)}});
    }

    void theDesktopsSchemeIsUsed() {
        QFETCH(uint, scheme);
        QFETCH(uint, contrast);
        QFETCH(int, used);
        portal_->put("org.freedesktop.appearance", "color-scheme", scheme);
        portal_->put("org.freedesktop.appearance", "contrast", contrast);
        Desktop desktop(*bus_);
        Appearance appearance;
        appearance.follow(desktop);
        appearance.use("system");
        QTRY_COMPARE(static_cast<int>(Theme::current().scheme()), used);
    }

    void itFollowsWhileTheProgramRuns() {
        portal_->put("org.freedesktop.appearance", "color-scheme", 2u);
        Desktop desktop(*bus_);
        Appearance appearance;
        appearance.follow(desktop);
        appearance.use("system");
        QTRY_COMPARE(Theme::current().scheme(), Scheme::Light);
        portal_->put("org.freedesktop.appearance", "color-scheme", 1u);
        QTRY_COMPARE(Theme::current().scheme(), Scheme::Dark);
        portal_->put("org.gnome.desktop.a11y.interface", "high-contrast", true);
        QTRY_COMPARE(Theme::current().scheme(), Scheme::DarkContrast);
    }

    void aChoiceOfOnesOwnRemains() {
        Desktop desktop(*bus_);
        Appearance appearance;
        appearance.follow(desktop);
        appearance.use("light_contrast");
        portal_->put("org.freedesktop.appearance", "color-scheme", 1u);
        QTRY_COMPARE(desktop.preferences().isDark, std::optional(true));
        QCOMPARE(Theme::current().scheme(), Scheme::LightContrast);
    }

    void motionIsReducedAsTheDesktopAsks_data() {
        testing::addTable<QString, QString, QVariant>(
            {"space", "key", "value"},
            {{"portal", "org.freedesktop.appearance", "reduced-motion", QVariant(1u)},
             {"GNOME", "org.gnome.desktop.interface", "enable-animations", QVariant(false)}});
    }

    void motionIsReducedAsTheDesktopAsks() {
        QFETCH(QString, space);
        QFETCH(QString, key);
        QFETCH(QVariant, value);
        Desktop desktop(*bus_);
        Appearance appearance;
        appearance.follow(desktop);
        appearance.useMotion("system");
        QVERIFY(!Themed::instance().isMotionReduced());
        portal_->put(space, key, value);
        QTRY_VERIFY(Themed::instance().isMotionReduced());
        appearance.useMotion("full");
        QVERIFY(!Themed::instance().isMotionReduced());
    }

    void motionIsReducedByChoice() {
        Appearance appearance;
        appearance.useMotion("reduced");
        QVERIFY(Themed::instance().isMotionReduced());
        appearance.useMotion("system");
        QVERIFY(!Themed::instance().isMotionReduced());
    }

    /// A field with the text cursor looks the same all the time.
    void nothingBlinksWhileMotionIsReduced() {
        Appearance appearance;
        appearance.useMotion("reduced");
        QLineEdit field("text");
        QProgressBar busy;
        busy.setRange(0, 0);
        field.show();
        busy.show();
        field.activateWindow();
        field.setFocus();
        QVERIFY(QTest::qWaitForWindowActive(&field));
        const QImage before = field.grab().toImage();
        const QImage bar = busy.grab().toImage();
        for (int i = 0; i < 15; ++i) {
            QTest::qWait(100);
            QCOMPARE(field.grab().toImage(), before);
            QCOMPARE(busy.grab().toImage(), bar);
        }
        appearance.useMotion("full");
        bool hasBlinked = false;
        for (int i = 0; i < 30 && !hasBlinked; ++i) {
            QTest::qWait(100);
            hasBlinked = field.grab().toImage() != before;
        }
        QVERIFY(hasBlinked);
    }

    void withoutAPortalNothingIsWished() {
        Desktop desktop(QDBusConnection(QStringLiteral("none")));
        desktop.waitForFirst(1);
        QCOMPARE(desktop.preferences(), PortalPreferences());
    }

    void whatIsNonsenseIsRefused() {
        portal_->put("org.gnome.desktop.interface", "text-scaling-factor", 90.0);
        portal_->put("org.freedesktop.appearance", "color-scheme", QString("purple"));
        Desktop desktop(*bus_);
        QTRY_COMPARE(desktop.preferences().textScale, 3.0);
        QCOMPARE(desktop.preferences().isDark, std::optional<bool>());
    }

    void theScaleIsTheChoiceTimesTheDesktops_data() {
        testing::addTable<QString, double, double, QString, double>(
            {"percent", "text", "points", "platform", "scale"},
            {{"usual", "100", 1.0, 9.0, "wayland", 1.0},
             {"larger texts", "100", 1.25, 11.0, "wayland", 1.25},
             {"larger font", "100", 1.0, 16.5, "wayland", 1.5},
             {"both mean one thing", "100", 1.5, 16.5, "wayland", 1.5},
             {"chosen", "150", 1.0, 9.0, "wayland", 1.5},
             {"chosen, of larger texts", "200", 1.25, 9.0, "wayland", 2.5},
             {"X11 has it already", "125", 1.5, 9.0, "xcb", 1.25},
             {"not without end", "200", 3.0, 9.0, "wayland", 4.0},
             {"no number", "huge", 1.0, 0.0, "xcb", 1.0}});
    }

    void theScaleIsTheChoiceTimesTheDesktops() {
        QFETCH(QString, percent);
        QFETCH(double, text);
        QFETCH(double, points);
        QFETCH(QString, platform);
        QFETCH(double, scale);
        QCOMPARE(interfaceScale(percent, {.textScale = text}, points, platform), scale);
    }

    void theEnvironmentIsAsBefore() {
        const QByteArray before = qgetenv("QT_SCALE_FACTOR");
        qputenv("QT_SCALE_FACTOR", "1.5");
        {
            const ScaledStart scaled(2);
            QCOMPARE(qgetenv("QT_SCALE_FACTOR").toDouble(), 3.0);
        }
        QCOMPARE(qgetenv("QT_SCALE_FACTOR"), QByteArray("1.5"));
        qunsetenv("QT_SCALE_FACTOR");
        {
            const ScaledStart scaled(2);
            QCOMPARE(qgetenv("QT_SCALE_FACTOR"), QByteArray("2"));
        }
        QVERIFY(!qEnvironmentVariableIsSet("QT_SCALE_FACTOR"));
        if (!before.isEmpty()) {
            qputenv("QT_SCALE_FACTOR", before);
        }
    }

private:
    QTemporaryDir folder_;
    QProcess daemon_;
    QString address_;
    std::unique_ptr<PlayedPortal> portal_;
    std::unique_ptr<QDBusConnection> bus_;
};

}  // namespace appearance_test

LOWTIDE_WINDOW_TEST(appearance_test::AppearanceTest)

#include "appearance_test.moc"
