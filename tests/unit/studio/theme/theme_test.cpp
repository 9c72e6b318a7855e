#include "plugin/base/error.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/theme/style_paint.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/tokens.hpp"

#include <array>
#include <cmath>

namespace lowtide::ui::theme_test {

using Scheme = Theme::Scheme;

namespace {

constexpr std::array kSchemes = {std::pair{"light", Scheme::Light},
                                 std::pair{"dark", Scheme::Dark},
                                 std::pair{"light, high contrast", Scheme::LightContrast},
                                 std::pair{"dark, high contrast", Scheme::DarkContrast}};

/// What WCAG asks of the pair: AA as the token file has it, AAA in high contrast (1.4.6: 7 for
/// texts; 1.4.11: 3 for everything else that must be seen).
double asked(const Json& rule, const Theme& theme) {
    const auto ratio = rule["ratio"].get<double>();
    return !theme.isHighContrast() ? ratio : ratio >= 4.5 ? 7 : std::max(3.0, ratio);
}

/// Colours as users see them who lack one kind of cone: linear RGB times a matrix.
/// Source: Machado, Oliveira, Fernandes 2009, severity 1.0.
struct Sight {
    const char* name;
    std::array<std::array<double, 3>, 3> matrix;
};

constexpr Sight kSights[] = {
    {"all cones", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protanopia",
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}}},
    {"deuteranopia",
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}}},
    {"tritanopia",
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}},
};

constexpr double kSeenAtAGlance = 10;  ///< a difference in Lab

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double labCurve(double fraction) {
    return fraction > 0.008856 ? std::cbrt(fraction) : 7.787 * fraction + 16.0 / 116;
}

std::array<double, 3> labSeen(const QColor& colour, const Sight& sight) {
    const std::array<double, 3> light = {
        linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())};
    std::array<double, 3> rgb{};
    for (size_t row = 0; row < 3; ++row) {
        for (size_t column = 0; column < 3; ++column) {
            rgb[row] += sight.matrix[row][column] * light[column];
        }
        rgb[row] = std::clamp(rgb[row], 0.0, 1.0);
    }
    const double x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505;
    const double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    const double z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089;
    return {116 * labCurve(y) - 16,
            500 * (labCurve(x) - labCurve(y)),
            200 * (labCurve(y) - labCurve(z))};
}

double distanceSeen(const QColor& one, const QColor& other, const Sight& sight) {
    const auto a = labSeen(one, sight);
    const auto b = labSeen(other, sight);
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

QByteArray row(std::initializer_list<std::string> parts) {
    QByteArray text;
    for (const std::string& part : parts) {
        text += (text.isEmpty() ? "" : " / ") + QByteArray::fromStdString(part);
    }
    return text;
}

}  // namespace

class ThemeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void contrastIsThatOfWcag_data() {
        QTest::addColumn<QColor>("one");
        QTest::addColumn<QColor>("other");
        QTest::addColumn<double>("ratio");
        QTest::newRow("black on white") << QColor("#000000") << QColor("#FFFFFF") << 21.0;
        QTest::newRow("nothing") << QColor("#123456") << QColor("#123456") << 1.0;
        // The smallest grey that WCAG's examples call enough on white, and the next that is not.
        QTest::newRow("#767676") << QColor("#767676") << QColor("#FFFFFF") << 4.54;
        QTest::newRow("#777777") << QColor("#FFFFFF") << QColor("#777777") << 4.48;
    }

    void contrastIsThatOfWcag() {
        QFETCH(QColor, one);
        QFETCH(QColor, other);
        QFETCH(double, ratio);

        QVERIFY2(std::abs(contrastOf(one, other) - ratio) < 0.005,
                 qPrintable(QString::number(contrastOf(one, other))));
    }

    void namedPairsHaveTheirContrast_data() {
        QTest::addColumn<QColor>("ink");
        QTest::addColumn<QColor>("ground");
        QTest::addColumn<double>("ratio");
        const Json tokens = themeTokens();
        for (const auto& [schemeName, scheme] : kSchemes) {
            const Theme theme(scheme);
            for (const Json& rule : tokens["contrast"]) {
                for (const Json& ink : rule["of"]) {
                    for (const Json& ground : rule["on"]) {
                        QTest::newRow(row({schemeName, ink, ground}))
                            << theme.colour(ink.get<std::string>().c_str())
                            << theme.colour(ground.get<std::string>().c_str())
                            << asked(rule, theme);
                    }
                }
            }
        }
    }

    void namedPairsHaveTheirContrast() {
        QFETCH(QColor, ink);
        QFETCH(QColor, ground);
        QFETCH(double, ratio);

        QVERIFY2(contrastOf(ink, ground) >= ratio,
                 qPrintable(QString::number(contrastOf(ink, ground))));
    }

    /// Nothing is distinguished by a ground that lets another through, and lines are stronger.
    void highContrastHasNoFaintColours() {
        for (const Scheme scheme : {Scheme::LightContrast, Scheme::DarkContrast}) {
            const Theme theme(scheme);
            QCOMPARE(theme.softColour("accent", 0.2), theme.colour("accent"));
            QVERIFY(theme.size("focus") > Theme(Scheme::Light).size("focus"));
            QVERIFY(theme.size("wire") > Theme(Scheme::Light).size("wire"));
            QVERIFY(contrastOf(theme.colour("border"), theme.colour("surface")) >= 3);
            QVERIFY(contrastOf(theme.colour("node.border"), theme.colour("canvas")) >= 7);
            QVERIFY(contrastOf(theme.colour("text.disabled"), theme.colour("surface")) >= 4.5);
        }
        QCOMPARE(Theme(Scheme::Dark).softColour("accent", 0.2).alphaF(), 0.2F);
    }

    void everyTokenOfHighContrastIsOneOfTheUsual() {
        const Json tokens = themeTokens();
        for (const auto& [section, values] : tokens["high_contrast"].items()) {
            for (const auto& [name, value] : values.items()) {
                QVERIFY2(tokens[section].contains(name), name.c_str());
            }
        }
    }

    void reducedMotionStopsEffectsAndTheTextCursor() {
        const int flash = QApplication::cursorFlashTime();
        QApplication::setEffectEnabled(Qt::UI_General, true);
        QApplication::setEffectEnabled(Qt::UI_AnimateMenu, true);
        Theme(Scheme::Light).applyTo(*qApp);
        QSignalSpy reported(&Themed::instance(), &Themed::changed);

        Themed::instance().setMotionReduced(true);

        QCOMPARE(reported.count(), 1);
        QVERIFY(!QApplication::isEffectEnabled(Qt::UI_AnimateMenu));
        QCOMPARE(QApplication::cursorFlashTime(), 0);
        QCOMPARE(QApplication::style()->styleHint(QStyle::SH_Widget_Animation_Duration), 0);
        Themed::instance().setMotionReduced(false);
        QVERIFY(QApplication::isEffectEnabled(Qt::UI_AnimateMenu));
        QCOMPARE(QApplication::cursorFlashTime(), flash);
        QApplication::setEffectEnabled(Qt::UI_General, false);
    }

    void wiresAreSeenOnWhatTheyCross_data() {
        QTest::addColumn<QColor>("wire");
        QTest::addColumn<QColor>("ground");
        const Json tokens = themeTokens();
        for (const auto& [schemeName, scheme] : kSchemes) {
            const Theme theme(scheme);
            std::vector<std::string> types = {"SOMETHING_NEW", "GUIDE", "AUDIO", "MESH", "A", "B"};
            for (const auto& [type, look] : tokens["wires"].items()) {
                types.push_back(type);
            }
            for (const std::string& type : types) {
                for (const char* ground : {"canvas", "node", "node.header", "surface"}) {
                    QTest::newRow(row({schemeName, type, ground}))
                        << theme.wireColour(type) << theme.colour(ground);
                }
            }
        }
    }

    void wiresAreSeenOnWhatTheyCross() {
        QFETCH(QColor, wire);
        QFETCH(QColor, ground);

        QVERIFY2(contrastOf(wire, ground) >= 3,
                 qPrintable(QString::number(contrastOf(wire, ground))));
    }

    void wireTypesDifferInShape_orInColourForEveryEye_data() {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<QString>("one");
        QTest::addColumn<QString>("other");
        for (const auto& [schemeName, scheme] : kSchemes) {
            const Json wires = themeTokens()["wires"];
            for (auto one = wires.begin(); one != wires.end(); ++one) {
                for (auto other = std::next(one); other != wires.end(); ++other) {
                    QTest::newRow(row({schemeName, one.key(), other.key()}))
                        << static_cast<int>(scheme) << QString::fromStdString(one.key())
                        << QString::fromStdString(other.key());
                }
            }
        }
    }

    void wireTypesDifferInShape_orInColourForEveryEye() {
        QFETCH(int, scheme);
        QFETCH(QString, one);
        QFETCH(QString, other);
        const Theme theme(static_cast<Scheme>(scheme));
        const std::string first = one.toStdString();
        const std::string second = other.toStdString();
        if (theme.portShape(first) != theme.portShape(second)) {
            return;
        }
        for (const Sight& sight : kSights) {
            const double distance =
                distanceSeen(theme.wireColour(first), theme.wireColour(second), sight);
            QVERIFY2(distance >= kSeenAtAGlance,
                     qPrintable(QString("%1: %2").arg(sight.name).arg(distance)));
        }
    }

    void partsOfAChartDifferForEveryEye_data() {
        QTest::addColumn<QColor>("one");
        QTest::addColumn<QColor>("other");
        const std::array parts = {
            "weights", "activations", "wires", "caches", "staging", "other"};  // of one bar
        for (const auto& [schemeName, scheme] : kSchemes) {
            const Theme theme(scheme);
            const auto colour = [&](const char* part) {
                return theme.colour((std::string("chart.") + part).c_str());
            };
            for (size_t i = 0; i < parts.size(); ++i) {
                for (size_t k = 0; k < i; ++k) {
                    QTest::newRow(row({schemeName, parts[k], parts[i]}))
                        << colour(parts[k]) << colour(parts[i]);
                }
            }
        }
    }

    void partsOfAChartDifferForEveryEye() {
        QFETCH(QColor, one);
        QFETCH(QColor, other);
        for (const Sight& sight : kSights) {
            const double distance = distanceSeen(one, other, sight);
            QVERIFY2(distance >= kSeenAtAGlance,
                     qPrintable(QString("%1: %2").arg(sight.name).arg(distance)));
        }
    }

    void unknownWireTypeKeepsItsLook() {
        const Theme one(Scheme::Dark);
        const Theme again(Scheme::Dark);

        QCOMPARE(one.wireColour("AUDIO"), again.wireColour("AUDIO"));
        QCOMPARE(one.portShape("AUDIO"), again.portShape("AUDIO"));
        QCOMPARE(one.portShape("AUDIO"), Theme(Scheme::Light).portShape("AUDIO"));
    }

    void fontsAreTheBundledOnes_data() {
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("family");
        QTest::newRow("body") << "body"
                              << "Inter";
        QTest::newRow("label") << "label"
                               << "Inter";
        QTest::newRow("title") << "title"
                               << "Inter";
        QTest::newRow("mono") << "mono"
                              << "JetBrains Mono";
    }

    void fontsAreTheBundledOnes() {
        QFETCH(QString, role);
        QFETCH(QString, family);
        const QFont asked = Theme(Scheme::Light).font(qPrintable(role));

        const QFontInfo got(asked);

        QCOMPARE(got.family(), family);
        QCOMPARE(got.pixelSize(), asked.pixelSize());
        QCOMPARE(got.weight(), int(asked.weight()));
    }

    void missingToken_isNamed() {
        Json tokens = themeTokens();
        tokens["colours"]["canvas"] = {"#FFFFFF"};
        const TokenReader reader(tokens, 1);
        try {
            static_cast<void>(reader.colours());
            QFAIL("a token without a dark colour was taken");
        } catch (const Error& error) {
            QVERIFY(QString(error.what()).contains("canvas"));
        }
    }

    void newTheme_isAnnounced() {
        QSignalSpy reported(&Themed::instance(), &Themed::changed);
        const auto dark = std::make_shared<const Theme>(Scheme::Dark);

        Theme::setCurrent(dark);

        QCOMPARE(reported.count(), 1);
        QCOMPARE(&Theme::current(), dark.get());
    }
};

LOWTIDE_WINDOW_TEST(ThemeTest)

}  // namespace lowtide::ui::theme_test

#include "theme_test.moc"
