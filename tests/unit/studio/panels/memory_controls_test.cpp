#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "ui/panels/held_memory.hpp"
#include "ui/panels/memory_settings.hpp"
#include "ui/theme/theme.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace memory_controls_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

const Json kDevices = Json::parse(R"([
    {"id": "cpu", "kind": "cpu", "name": "a processor", "capacity": 17179869184,
     "free": 8589934592},
    {"id": "fake", "kind": "fake", "name": "rehearsal", "capacity": 8589934592,
     "free": 8589934592}])");

const Json kCards = Json::parse(R"([{"name": "RTX 4060", "memory": 8589934592},
                                    {"name": "RTX 4090", "memory": 25769803776}])");

const Json kLedger = Json::parse(R"({
    "cpu": {"total": 10, "tags": {"cache": 10}, "owners": {"encode.positive": {"cache": 10}}},
    "fake": {"total": 60, "tags": {"weights": 40, "activations": 12, "wires": 8},
             "owners": {"denoiser": {"weights": 30}, "autoencoder": {"weights": 10},
                        "denoise": {"activations": 12}}}})");

}  // namespace

class MemoryControlsTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void sliderIsWithoutABound_atItsRightEnd() {
        BudgetSlider budget;
        budget.setRange(8 * kGiB, 0);
        auto* slider = budget.findChild<QSlider*>("budgetSlider");
        QSignalSpy edited(&budget, &BudgetSlider::edited);

        QCOMPARE(slider->value(), slider->maximum());
        budget.setBudget("4GiB", "cpu");
        QVERIFY(slider->value() < slider->maximum());
        QCOMPARE(edited.count(), 0);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_End);

        QCOMPARE(edited.count(), 1);
        QVERIFY(!budget.budget());
        QVERIFY(budget.findChild<QLineEdit*>("budgetField")->text().isEmpty());
    }

    void sliderReports_whileItIsDragged() {
        BudgetSlider budget;
        budget.resize(320, 80);
        budget.show();
        auto* slider = budget.findChild<QSlider*>("budgetSlider");
        int finals = 0;
        int steps = 0;
        connect(
            &budget,
            &BudgetSlider::edited,
            this,
            [&](const std::optional<std::string>&, bool isFinal) { (isFinal ? finals : steps)++; });
        const QPoint knob(slider->width() - 8, slider->height() / 2);

        QTest::mousePress(slider, Qt::LeftButton, {}, knob);
        for (int x = knob.x(); x > slider->width() / 2; x -= 8) {
            QTest::mouseMove(slider, QPoint(x, knob.y()));
        }
        QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(slider->width() / 2, knob.y()));

        QVERIFY(steps > 3);
        QCOMPARE(finals, 1);
        QVERIFY(budget.budget().value_or(0) > 0);
    }

    void sliderShowsTheSameBudget_afterEveryStep() {
        BudgetSlider budget;
        budget.setRange(64 * kMiB, 0);
        auto* slider = budget.findChild<QSlider*>("budgetSlider");
        Bytes before = 0;
        for (int step = 0; step < slider->maximum(); ++step) {
            slider->setValue(step);
            const std::optional<Bytes> chosen = budget.budget();
            QVERIFY(chosen && *chosen <= 64 * kMiB);
            QVERIFY(*chosen >= before);  // more to the right
            before = *chosen;
            QCOMPARE(parseBytes(budget.findChild<QLineEdit*>("budgetField")->text().toStdString()),
                     chosen);
        }
    }

    void fieldReadsSizes_data() {
        testing::addTable<QString, qint64, int>(
            {"text", "bytes", "reported"},
            {{"GiB", "6GiB", qint64{6 * kGiB}, 1},
             {"a part", "1.5 G", qint64{kGiB + kGiB / 2}, 1},
             {"bytes", "6075392", qint64{6075392}, 1},
             {"nothing", "", qint64{-1}, 1},
             {"no size", "much", qint64{2 * kGiB}, 0},
             {"zero", "0", qint64{2 * kGiB}, 0},
             {"the same", "2GiB", qint64{2 * kGiB}, 0},
             {"by name", "cuda:0=20GiB,cpu=8GiB", qint64{8 * kGiB}, 1},
             {"of the run's and another's", "3GiB,cuda=20GiB", qint64{3 * kGiB}, 1},
             {"another's alone", "cuda:1=20GiB", qint64{-1}, 1},
             {"one device twice", "cuda=1GiB,cuda:0=2GiB", qint64{2 * kGiB}, 0},
             {"no device", "gpu=1GiB", qint64{2 * kGiB}, 0},
             {"zero by name", "cpu=0", qint64{2 * kGiB}, 0}});
    }

    void fieldReadsSizes() {
        QFETCH(QString, text);
        QFETCH(qint64, bytes);
        QFETCH(int, reported);
        BudgetSlider budget;
        budget.setBudget("2GiB", "cpu");
        QSignalSpy edited(&budget, &BudgetSlider::edited);
        auto* field = budget.findChild<QLineEdit*>("budgetField");

        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);

        QCOMPARE(edited.count(), reported);
        QCOMPARE(budget.budget().value_or(-1), Bytes{bytes});
        QVERIFY(reported == 1 || text == "2GiB" ||
                budget.findChild<QLabel*>("budgetNote")->text().contains(text));
    }

    void sliderKeepsWhatIsReportedOfOthers() {
        BudgetSlider budget;
        budget.setRange(8 * kGiB, 0);
        budget.setBudget("fake=4GiB,cpu=2GiB", "fake");
        auto* slider = budget.findChild<QSlider*>("budgetSlider");
        QCOMPARE(budget.budget().value_or(0), 4 * kGiB);
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Left);
        QVERIFY(budget.budget().value_or(8 * kGiB) < 4 * kGiB);
        QVERIFY(budget.stated()->ends_with(",cpu=2GiB"));
        QTest::keyClick(slider, Qt::Key_End);
        QCOMPARE(budget.stated().value_or(""), std::string("cpu=2GiB"));
    }

    void chooserOffersCardsToRehearseOn() {
        DeviceChooser chooser;
        chooser.setDevices(kDevices);
        QStringList texts;
        for (int i = 0; i < chooser.count(); ++i) {
            texts << chooser.itemText(i);
        }
        QVERIFY2(texts.contains("CPU, 16.0 GiB"), qPrintable(texts.join("|")));
        for (const int size : {4, 6, 8, 12, 24}) {
            QVERIFY(texts.contains(QString("Rehearse on %1 GiB").arg(size)));
        }
        std::optional<std::string> chosen;
        connect(
            &chooser, &DeviceChooser::chosen, this, [&](const std::optional<std::string>& device) {
                chosen = device;
            });

        chooser.setCurrentIndex(chooser.findText("Rehearse on 6 GiB"));
        Q_EMIT chooser.activated(chooser.currentIndex());
        QCOMPARE(chosen.value_or(""), std::string("fake:6GiB"));
        Q_EMIT chooser.activated(0);
        QVERIFY(!chosen);
    }

    void chooserOffersCardsToPlanFor_apartFromRehearsals() {
        DeviceChooser chooser;
        chooser.setDevices(kDevices);
        const int before = chooser.count();
        chooser.setCards(kCards);
        const int rehearsal = chooser.findText("Rehearse on 24 GiB");
        const int card = chooser.findText("Plan for RTX 4060, 8.0 GiB");
        QVERIFY(rehearsal >= 0 && card > rehearsal + 1);
        QVERIFY(chooser.itemText(before).isEmpty());  // a line between
        QVERIFY(chooser.findText("Plan for RTX 4090, 24.0 GiB") > card);
        QStringList heard;
        connect(
            &chooser, &DeviceChooser::chosen, this, [&](const std::optional<std::string>& device) {
                heard << "device " + QString::fromStdString(device.value_or("-"));
            });
        connect(&chooser, &DeviceChooser::cardChosen, this, [&](const std::string& name) {
            heard << "card " + QString::fromStdString(name);
        });

        Q_EMIT chooser.activated(card);
        QCOMPARE(heard, QStringList{"card RTX 4060"});  // the graph keeps its device
        heard.clear();
        Q_EMIT chooser.activated(rehearsal);
        QCOMPARE(heard, (QStringList{"card ", "device fake:24GiB"}));
        heard.clear();
        Q_EMIT chooser.activated(0);
        QCOMPARE(heard, QStringList{"device -"});

        chooser.setCard("RTX 4090");
        QCOMPARE(chooser.currentText(), QString("Plan for RTX 4090, 24.0 GiB"));
        chooser.setDevice("fake:8GiB");  // by undo, for example
        QCOMPARE(chooser.currentText(), QString("Plan for RTX 4090, 24.0 GiB"));
        chooser.setCard("");
        QCOMPARE(chooser.currentText(), QString("Rehearse on 8 GiB"));
        chooser.setCard("cuda:8.9,10.0 GiB");
        QCOMPARE(chooser.currentText(), QString("Plan for cuda:8.9,10.0 GiB"));
    }

    void chooserRemainsAsItIs_whileItIsOpen() {
        DeviceChooser chooser;
        Json devices = kDevices;
        chooser.setDevices(devices);
        chooser.show();
        chooser.showPopup();
        chooser.view()->setCurrentIndex(chooser.model()->index(3, 0));

        devices[0]["free"] = 5;  // as a run goes on
        chooser.setDevices(devices);

        QCOMPARE(chooser.view()->currentIndex().row(), 3);
        chooser.hidePopup();
    }

    void chooserShowsADeviceThatNobodyOffers() {
        DeviceChooser chooser;
        QSignalSpy chosen(&chooser, &DeviceChooser::chosen);
        chooser.setDevice("fake:64MiB");
        QCOMPARE(chooser.currentText(), QString("Rehearse on 64 MiB"));
        chooser.setDevices(kDevices);
        QCOMPARE(chooser.currentText(), QString("Rehearse on 64 MiB"));
        chooser.setDevice("cuda:0");
        QCOMPARE(chooser.currentText(), QString("cuda:0"));
        chooser.setDevice(std::nullopt);
        QCOMPARE(chooser.currentText(), QString("CPU, 16.0 GiB"));
        QCOMPARE(chosen.count(), 0);
    }

    void chipsOffloadAndUnload() {
        ComponentChips chips;
        chips.setComponents(heldComponents(kLedger));
        chips.setPossible(true, true);
        QSignalSpy offload(&chips, &ComponentChips::offloadRequested);
        QSignalSpy unload(&chips, &ComponentChips::unloadRequested);
        chips.show();

        QTest::mouseClick(
            chips.findChild<QWidget*>("chip_denoiser")->findChild<QToolButton*>("offload"),
            Qt::LeftButton);
        QTest::mouseClick(
            chips.findChild<QWidget*>("chip_autoencoder")->findChild<QToolButton*>("unload"),
            Qt::LeftButton);

        QCOMPARE(offload.count(), 1);
        QCOMPARE(offload[0][0].value<std::string>(), std::string("denoiser"));
        QCOMPARE(unload.count(), 1);
        QCOMPARE(unload[0][0].value<std::string>(), std::string("autoencoder"));
        QCOMPARE(heldComponents(kLedger).size(), size_t{2});  // activations are no component
    }

    void chipsAreGrey_whileARunLasts() {
        ComponentChips chips;
        chips.setComponents(heldComponents(kLedger));
        chips.setPossible(false, false);

        auto* chip = chips.findChild<QWidget*>("chip_denoiser");
        QCOMPARE(chip->findChild<QLabel*>()->text(), QString("denoiser\n30 B, rehearsed card"));
        QVERIFY(!chip->findChild<QToolButton*>("offload")->isEnabled());
        QVERIFY(!chip->findChild<QToolButton*>("unload"));  // nobody could tell it from Offload
    }

    /// A layout shows what is new in it a moment later; by then a short run may be over.
    void chipsThatGo_openNoWindow() {
        ComponentChips chips;
        chips.show();
        QVERIFY(QTest::qWaitForWindowExposed(&chips));
        for (const bool isIdle : {false, true}) {
            chips.setPossible(isIdle, true);
        }
        QCoreApplication::processEvents();
        for (const QWidget* window : QApplication::topLevelWidgets()) {
            QVERIFY2(window == &chips || !window->isVisible(), qPrintable(window->objectName()));
        }
    }

    void gaugeDistinguishesOthers() {
        const HeldNow card = heldNow(kLedger, kDevices, "fake");
        QCOMPARE(card.ours(), Bytes{60});
        QCOMPARE(card.weights, Bytes{40});
        QCOMPARE(card.others, Bytes{0});
        const HeldNow host = heldNow(kLedger, kDevices, "cpu");
        QCOMPARE(host.caches, Bytes{10});
        QCOMPARE(host.others, Bytes{8 * kGiB - 10});
        QCOMPARE(heldNow(Json(), Json(), "cpu").ours(), Bytes{0});
    }

    /// As wide as a docked panel leaves it, with its text at the right.
    void gaugeNamesItsDeviceWhole() {
        MemoryGauge gauge("gauge");
        gauge.setHeld(heldNow(kLedger, kDevices, "fake"));
        const QSize name(
            QFontMetrics(Theme::current().font("body")).horizontalAdvance("rehearsed card"), 18);
        gauge.resize(600, 60);
        const QImage wide = gauge.grab(QRect({}, name)).toImage();
        gauge.resize(280, 60);
        QCOMPARE(gauge.grab(QRect({}, name)).toImage(), wide);
    }

    void gaugeNamesEveryColour_data() {
        QTest::addColumn<QString>("tag");
        QTest::addColumn<QString>("colour");
        for (const char* tag : {"weights", "activations", "wires", "cache", "staging"}) {
            QTest::newRow(tag) << tag
                               << (tag == QByteArray("cache") ? "chart.caches"
                                                              : "chart." + QString(tag));
        }
    }

    /// What is painted in the bar is in the legend below it.
    void gaugeNamesEveryColour() {
        QFETCH(QString, tag);
        QFETCH(QString, colour);
        MemoryGauge gauge("gauge");
        gauge.setHeld(heldNow(
            {{"cpu", {{"total", 40}, {"tags", {{tag.toStdString(), 40}}}}}}, Json(), "cpu"));
        gauge.resize(280, gauge.sizeHint().height());
        const QImage image = gauge.grab().toImage();
        const auto isPaintedIn = [&](int top, int bottom) {
            for (int y = top; y < bottom; ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (image.pixelColor(x, y) == Theme::current().colour(qPrintable(colour))) {
                        return true;
                    }
                }
            }
            return false;
        };
        constexpr int kLegendTop = Theme::space(8);  // below the name and the bar
        QVERIFY(isPaintedIn(0, kLegendTop));
        QVERIFY(isPaintedIn(kLegendTop, image.height()));
    }
};

LOWTIDE_WINDOW_TEST(MemoryControlsTest)

}  // namespace memory_controls_test

#include "memory_controls_test.moc"
