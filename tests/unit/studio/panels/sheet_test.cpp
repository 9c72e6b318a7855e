// Sheets as they are asked for, seen and drawn.
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/input.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/scripted_runner.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/panels/image_view.hpp"
#include "ui/panels/sheet_dialog.hpp"
#include "ui/panels/sheet_drawing.hpp"
#include "ui/panels/sheet_view.hpp"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest/QtTest>

#include <mutex>
#include <thread>

namespace sheet_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

constexpr int kPatience = 20000;

std::vector<NodeDesc> nodes() {
    NodeDesc sample{.id = "denoise.sample", .label = "Denoise", .components = {"denoiser"}};
    sample.params = {
        {.id = "steps",
         .label = "Steps",
         .kind = ParamKind::Int,
         .defaultValue = int64_t{20},
         .min = 1,
         .max = 150},
        {.id = "cfg", .label = "Guidance", .kind = ParamKind::Float, .defaultValue = 7.5, .min = 0},
        {.id = "sampler",
         .label = "Sampler",
         .kind = ParamKind::Choice,
         .defaultValue = std::string("euler"),
         .choices = {{"euler", "Euler"}, {"ddim", "DDIM"}}},
        {.id = "exact", .label = "Exact", .kind = ParamKind::Bool, .defaultValue = false},
        {.id = "seed", .label = "Seed", .kind = ParamKind::Seed, .defaultValue = uint64_t{7}},
        {.id = "name",
         .label = "Name",
         .kind = ParamKind::Text,
         .defaultValue = std::string(),
         .cosmetic = true}};
    NodeDesc encode{.id = "prompt.encode", .label = "Encode prompt"};
    encode.params = {{.id = "prompt",
                      .label = "Prompt",
                      .kind = ParamKind::Text,
                      .defaultValue = std::string("a red cat"),
                      .multiline = true}};
    NodeDesc load{.id = "load.checkpoint", .label = "Load checkpoint"};
    load.params = {{.id = "checkpoint",
                    .label = "Checkpoint",
                    .kind = ParamKind::File,
                    .defaultValue = std::string("a.safetensors")}};
    NodeDesc save{.id = "save.image", .label = "Save image", .output = true, .sideEffect = true};
    return {sample, encode, load, save};
}

graph::Document document() {
    graph::Document document;
    document.nodes["denoise"] = {.type = "denoise.sample"};
    document.nodes["encode"] = {.type = "prompt.encode"};
    document.nodes["load"] = {.type = "load.checkpoint"};
    document.nodes["save"] = {.type = "save.image"};
    return document;
}

class TwoModels final : public OfferedFiles {
public:
    [[nodiscard]] std::vector<OfferedFile> filesFor(const std::string&,
                                                    const std::string&) const override {
        return {{"a.safetensors", "a", "SD 1.5"}, {"b.safetensors", "b", "SD 1.5"}};
    }
};

struct Asked {
    explicit Asked(graph::Document of = document())
        : catalog(nodes()),
          dialog(of, catalog, &models, runner, background, Json::object(), nullptr) {}

    [[nodiscard]] AxisEditor& x() { return *dialog.findChild<AxisEditor*>("x"); }

    [[nodiscard]] AxisEditor& y() { return *dialog.findChild<AxisEditor*>("y"); }

    static void choose(AxisEditor& editor, const QString& title) {
        auto* box = editor.findChild<QComboBox*>("item");
        QVERIFY2(box->findText(title) >= 0, qPrintable(title));
        editor.choose(box->itemData(box->findText(title)).toInt());
    }

    [[nodiscard]] QString count() { return dialog.findChild<QLabel*>("count")->text(); }

    [[nodiscard]] QString time() { return dialog.findChild<QLabel*>("time")->text(); }

    graph::Catalog catalog;
    TwoModels models;
    ScriptedRunner runner;
    Background background;
    SheetDialog dialog;
};

QString labelsOf(const AxisEditor& editor) {
    QStringList labels;
    for (const SheetValue& value : editor.axis().value_or(SheetAxis{}).values) {
        labels << value.label;
    }
    return labels.join(" | ");
}

SheetPlan planOf(const QStringList& across, const QStringList& down) {
    SheetPlan plan{
        .x = {.node = "denoise", .item = "steps", .nodeLabel = "Denoise", .label = "Steps"}};
    for (const QString& value : across) {
        plan.x.values.push_back({value.toStdString(), value});
    }
    if (!down.isEmpty()) {
        plan.y = SheetAxis{
            .node = "encode", .item = "prompt", .nodeLabel = "Encode prompt", .label = "Prompt"};
        for (const QString& value : down) {
            plan.y->values.push_back({value.toStdString(), value});
        }
    }
    return plan;
}

/// A sheet of images on the disk, in colours of their own.
struct Kept {
    explicit Kept(const SheetPlan& of, QSize size = {96, 64}) : plan(of) {
        sheet.key = "a:sheet1";
        sheet.title = "lighthouse, sheet of Steps and Prompt";
        for (int cell = 0; cell < static_cast<int>(plan.cells()); ++cell) {
            const QString path = folder.filePath(QString("%1.png").arg(cell));
            QImage image(size, QImage::Format_RGB888);
            image.fill(QColor::fromHsv(cell * 37 % 360, 200, 220));
            image.save(path);
            sheet.cells.push_back({.run = QString("a:%1").arg(cell),
                                   .isKnown = true,
                                   .state = RunState::Finished,
                                   .files = {path},
                                   .milliseconds = 1000.0 + 250 * cell,
                                   .peak = (int64_t{1} << 30) - (int64_t{cell} << 24),
                                   .executed = 3});
        }
    }

    QTemporaryDir folder;
    SheetPlan plan;
    SheetRecord sheet;
};

struct ShownSheet : Kept {
    explicit ShownSheet(const SheetPlan& of) : Kept(of) {
        view.resize(1100, 640);
        view.show();
        test::bringToFront(view);
        view.showSheet(sheet, plan);
        view.focusCells();
    }

    void waitForImages() {
        QTRY_VERIFY_WITH_TIMEOUT(
            [&] {
                for (int cell = 0; cell < static_cast<int>(plan.cells()); ++cell) {
                    if (!sheet.cells[static_cast<size_t>(cell)].files.isEmpty() &&
                        view.table().image(cell).isNull()) {
                        return false;
                    }
                }
                return true;
            }(),
            kPatience);
    }

    [[nodiscard]] QTableView& cells() { return *view.findChild<QTableView*>("cells"); }

    [[nodiscard]] QString facts() { return view.findChild<QLabel*>("cellFacts")->text(); }

    SheetView view;
};

}  // namespace

class SheetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void everyParameterCanVary_butNoName() {
        const graph::Catalog catalog(nodes());
        QStringList titles;
        for (const SheetItem& item : sheetItems(document(), catalog)) {
            titles << item.title();
        }
        QCOMPARE(titles,
                 (QStringList{"Denoise: Steps",
                              "Denoise: Guidance",
                              "Denoise: Sampler",
                              "Denoise: Exact",
                              "Denoise: Seed",
                              "Denoise: Memory policy",
                              "Denoise: Precision",
                              "Encode prompt: Prompt",
                              "Load checkpoint: Checkpoint"}));
    }

    void valuesAreSuggested_data() {
        QTest::addColumn<QString>("item");
        QTest::addColumn<QString>("labels");
        QTest::newRow("steps") << "Denoise: Steps"
                               << "10 | 20 | 30 | 40";
        QTest::newRow("guidance") << "Denoise: Guidance"
                                  << "3.75 | 7.5 | 11.25 | 15";
        QTest::newRow("choices") << "Denoise: Sampler"
                                 << "Euler | DDIM";
        QTest::newRow("a switch") << "Denoise: Exact"
                                  << "off | on";
        QTest::newRow("seeds") << "Denoise: Seed"
                               << "7 | 8 | 9 | 10";
        QTest::newRow("precisions") << "Denoise: Precision"
                                    << "quality | balanced | speed";
        QTest::newRow("models") << "Load checkpoint: Checkpoint"
                                << "a | b";
    }

    void valuesAreSuggested() {
        QFETCH(QString, item);
        QFETCH(QString, labels);
        Asked asked;
        Asked::choose(asked.x(), item);
        QCOMPARE(labelsOf(asked.x()), labels);
    }

    void valuesRemain_whenAnotherParameterIsLookedAt() {
        Asked asked;
        asked.x().findChild<QLineEdit*>("numbers")->setText("3, 5");
        Asked::choose(asked.x(), "Denoise: Sampler");
        asked.x().findChild<QListWidget*>("ticks")->item(1)->setCheckState(Qt::Unchecked);
        Asked::choose(asked.x(), "Denoise: Steps");
        QCOMPARE(labelsOf(asked.x()), QString("3 | 5"));
        Asked::choose(asked.x(), "Denoise: Sampler");
        QCOMPARE(labelsOf(asked.x()), QString("Euler"));
    }

    void policiesOfOnesOwnAreTyped() {
        Asked asked;
        Asked::choose(asked.x(), "Denoise: Memory policy");
        auto* others = asked.x().findChild<QLineEdit*>("others");
        others->setText("leaf+stream,budget=1GiB; block:2");
        QVERIFY(labelsOf(asked.x()).endsWith("leaf+stream,budget=1GiB | block:2"));
        others->setText("sideways");
        QVERIFY2(asked.x().problem().contains("sideways"), qPrintable(asked.x().problem()));
        QVERIFY(!asked.dialog.findChild<QPushButton*>("run")->isEnabled());
    }

    void timesOfAllCellsAreAdded() {
        Asked asked;
        asked.runner.setAnswers({{"issues", Json::array()}},
                                {{"plan", {{"stages", {{{"seconds", 40}}, {{"seconds", 20}}}}}}});
        asked.x().findChild<QLineEdit*>("numbers")->setText("4, 8, 12");
        QTRY_VERIFY2_WITH_TIMEOUT(
            asked.time().contains("3 min"), qPrintable(asked.time()), kPatience);
    }

    void timesOfARehearsalAreThoseOfItsGpu() {
        Asked asked;
        asked.runner.setAnswers(
            {{"issues", Json::array()}},
            Json::parse(R"({"plan": {"devices": [{"rehearsal": true}, {"rehearsal": false}],
                                     "stages": [{"seconds": 60}]}})"));
        asked.x().findChild<QLineEdit*>("numbers")->setText("4, 8, 12");
        QTRY_VERIFY2_WITH_TIMEOUT(asked.time().contains("3 min on such a GPU") ||
                                      asked.time().contains("3 min at most on such a GPU"),
                                  qPrintable(asked.time()),
                                  kPatience);
    }

    void cellsThatCannotRunAreNamed() {
        Asked asked;
        asked.runner.setAnswers({{"issues", Json::array()}},
                                {{"issues",
                                  {{{"severity", "error"},
                                    {"code", "memory_infeasible"},
                                    {"message", "it needs 9 GiB"}}}}},
                                Status::Invalid);
        asked.x().findChild<QLineEdit*>("numbers")->setText("4, 8");
        QTRY_VERIFY2_WITH_TIMEOUT(
            asked.time().contains("Steps 4: it needs 9 GiB"), qPrintable(asked.time()), kPatience);
    }

    void aGraphThatSavesNothingIsRefused() {
        graph::Document without = document();
        without.nodes.erase("save");
        Asked asked(without);
        QVERIFY2(asked.count().contains("saves no image"), qPrintable(asked.count()));
        QVERIFY(!asked.dialog.findChild<QPushButton*>("run")->isEnabled());
    }

    void plansSurviveAsText() {
        SheetPlan plan = planOf({"4", "8"}, {"a cat\n\"red\"", "狐狸"});
        plan.isMeasured = true;
        QCOMPARE(sheetPlanFrom(toText(plan)), plan);
        for (const char* text : {"", "[]", "{}", R"({"x": {"node": 1}})", R"({"x": {"node": "a",
             "item": "b", "values": []}})"}) {
            QVERIFY2(!sheetPlanFrom(text), text);
        }
    }

    /// Keys move, facts follow, and what is the same is stated to be.
    void cellsAreLookedAt() {
        Kept kept(planOf({"4", "8"}, {"cat", "dog"}));
        QFile::remove(kept.sheet.cells[3].files[0]);
        QVERIFY(QFile::copy(kept.sheet.cells[0].files[0], kept.sheet.cells[3].files[0]));
        ShownSheet seen(planOf({"4", "8"}, {"cat", "dog"}));
        seen.sheet.cells[3].files = kept.sheet.cells[3].files;
        seen.sheet.cells[0].files = kept.sheet.cells[0].files;
        seen.sheet.cells[2] = {.run = "a:2",
                               .isKnown = true,
                               .state = RunState::Failed,
                               .problem = "4 GiB are too little"};
        seen.view.showSheet(seen.sheet, seen.plan);
        seen.waitForImages();
        QCOMPARE(seen.view.currentCell(), 0);
        QTest::keyClick(&seen.cells(), Qt::Key_Down);
        QCOMPARE(seen.view.currentCell(), 2);
        QCOMPARE(seen.facts(), QString("4 GiB are too little"));
        QTest::keyClick(&seen.cells(), Qt::Key_Right);
        QCOMPARE(seen.view.currentCell(), 3);
        QVERIFY2(seen.facts().contains("Identical to Steps 4, Prompt cat"),
                 qPrintable(seen.facts()));
        QTRY_VERIFY_WITH_TIMEOUT(!seen.view.findChild<ImageView*>()->image().empty(), kPatience);
        QCOMPARE(seen.view.findChild<ImageView*>()->image().front().size(), QSize(96, 64));
        QSignalSpy viewed(&seen.view, &SheetView::viewAsked);
        QTest::keyClick(&seen.cells(), Qt::Key_Return);
        QCOMPARE(viewed.size(), 1);
        QCOMPARE(viewed.front()[0].toStringList().size(), 3);
        QCOMPARE(viewed.front()[1].toString(), seen.sheet.cells[3].files[0]);
    }

    void aCellIsComparedWithTheOthers() {
        ShownSheet seen(planOf({"4", "8", "12"}, {}));
        seen.waitForImages();
        auto* large = seen.view.findChild<ImageView*>();
        QTRY_VERIFY_WITH_TIMEOUT(!large->image().empty(), kPatience);
        QTest::keyClick(&seen.cells(), Qt::Key_C);
        QVERIFY(!large->isComparing());
        QTest::keyClick(&seen.cells(), Qt::Key_Right);
        QTRY_VERIFY_WITH_TIMEOUT(large->isComparing(), kPatience);
        QTest::keyClick(&seen.cells(), Qt::Key_D);
        QCOMPARE(large->way(), CompareWay::Difference);
        QSignalSpy compared(&seen.view, &SheetView::compareAsked);
        QTest::keyClick(&seen.cells(), Qt::Key_C, Qt::ShiftModifier);
        QCOMPARE(compared.size(), 1);
        QCOMPARE(compared.front()[0].toString(), seen.sheet.cells[0].files[0]);
        QCOMPARE(compared.front()[1].toString(), seen.sheet.cells[1].files[0]);
        QTest::keyClick(&seen.cells(), Qt::Key_Left);
        QTest::keyClick(&seen.cells(), Qt::Key_C);
        QTest::keyClick(&seen.cells(), Qt::Key_Right);
        QVERIFY(!large->isComparing());
    }

    void theGridIsZoomed() {
        ShownSheet seen(planOf({"4", "8"}, {}));
        seen.waitForImages();
        const int before = seen.cells().columnWidth(0);
        QTest::keyClick(&seen.cells(), Qt::Key_Minus);
        const int smaller = seen.cells().columnWidth(0);
        QVERIFY(smaller < before);
        QTest::keyClick(&seen.cells(), Qt::Key_F);
        QCOMPARE(seen.cells().columnWidth(0), before);
        const int height = seen.cells().rowHeight(0);
        QTest::keyClick(&seen.cells(), Qt::Key_T);
        QTest::keyClick(&seen.cells(), Qt::Key_F);
        QVERIFY(seen.view.findChild<QToolButton*>("figures")->isChecked());
        QVERIFY(seen.cells().rowHeight(0) != height || seen.cells().columnWidth(0) != before);
    }

    void theEndsAreMarked() {
        ShownSheet seen(planOf({"4", "8", "12"}, {}));
        const auto time = seen.view.table().endsOf(SheetTable::Figure::Time);
        QCOMPARE(time.least, 0);
        QCOMPARE(time.most, 2);
        const auto peak = seen.view.table().endsOf(SheetTable::Figure::Peak);
        QCOMPARE(peak.least, 2);
        seen.sheet.cells[0].executed = 0;  // its time means nothing
        seen.view.showSheet(seen.sheet, seen.plan);
        QCOMPARE(seen.view.table().endsOf(SheetTable::Figure::Time).least, 1);
        QCOMPARE(seen.view.table().figures(0), QString("kept from before"));
    }

    /// A hundred large images: the memory of the grid is bounded, the thread of the GUI is free.
    void aHundredCellsAreBounded() {
        QStringList ten;
        for (int i = 0; i < 10; ++i) {
            ten << QString::number(i);
        }
        Kept kept(planOf(ten, ten), {8, 8});
        QImage large(832, 832, QImage::Format_RGB888);  // a hundred have more than kMostSheetPixels
        large.fill(Qt::darkCyan);
        QVERIFY(large.save(kept.sheet.cells[0].files[0]));
        const QByteArray bytesOfOne = testing::contentsOf(kept.sheet.cells[0].files[0]);
        for (const SheetCellRecord& cell : kept.sheet.cells) {
            testing::writeFile(cell.files[0], bytesOfOne);
        }
        SheetTable table;
        QElapsedTimer clock;
        clock.start();
        table.setSheet(kept.sheet, kept.plan);
        const qint64 asked = clock.elapsed();
        QTRY_VERIFY_WITH_TIMEOUT(!table.image(99).isNull(), 60000);
        qsizetype bytes = 0;
        for (int cell = 0; cell < 100; ++cell) {
            bytes += table.image(cell).sizeInBytes();
        }
        qInfo("a hundred images of 832 pixels: asked for in %lld ms, seen in %lld ms, %lld MB",
              asked,
              clock.elapsed(),
              static_cast<long long>(bytes >> 20));
        QVERIFY(asked < 50);
        QVERIFY(bytes <= qsizetype{100} * 512 * 512 * 4);
        QImage drawn;
        clock.restart();
        drawn = drawSheet({.plan = kept.plan, .title = "many", .cells = [&] {
                               std::vector<DrawnCell> cells;
                               for (const SheetCellRecord& cell : kept.sheet.cells) {
                                   cells.push_back({.file = cell.files[0]});
                               }
                               return cells;
                           }()});
        qInfo("drawn in %lld ms: %d x %d", clock.elapsed(), drawn.width(), drawn.height());
        QVERIFY(static_cast<double>(drawn.width()) * drawn.height() < 1.4 * kMostSheetPixels);
    }

    /// Every pixel of the cells is there, and none of them is written over.
    void imagesAreDrawnAsTheyAre() {
        const Kept kept(planOf({"4", "8"}, {"猫在湖上的一条很长很长的船上", "dog"}), {80, 50});
        SheetDrawing drawing{.plan = kept.plan, .title = "湖, sheet", .font = QFont()};
        for (const SheetCellRecord& cell : kept.sheet.cells) {
            drawing.cells.push_back({.file = cell.files[0]});
        }
        drawing.cells[3] = {.problem = "4 GiB are too little"};
        const QImage drawn = drawSheet(drawing);
        for (int cell = 0; cell < 3; ++cell) {
            const QColor colour =
                QImage(kept.sheet.cells[static_cast<size_t>(cell)].files[0]).pixelColor(0, 0);
            QRect box;
            int count = 0;
            for (int y = 0; y < drawn.height(); ++y) {
                for (int x = 0; x < drawn.width(); ++x) {
                    if (drawn.pixelColor(x, y) == colour) {
                        box |= QRect(x, y, 1, 1);
                        ++count;
                    }
                }
            }
            QCOMPARE(box.size(), QSize(80, 50));
            QCOMPARE(count, 80 * 50);
        }
    }

    void aLongSheetCanBeShown_data() {
        QTest::addColumn<bool>("isAcross");
        QTest::newRow("across") << true;
        QTest::newRow("down") << false;
    }

    /// A hundred values of one parameter: as they are, they would be longer than the viewer shows.
    void aLongSheetCanBeShown() {
        QFETCH(bool, isAcross);
        QStringList hundred;
        for (int i = 0; i < 100; ++i) {
            hundred << QString::number(i);
        }
        const Kept kept(isAcross ? planOf(hundred, {}) : planOf({"8"}, hundred),
                        isAcross ? QSize(512, 64) : QSize(64, 512));
        SheetDrawing drawing{.plan = kept.plan, .title = "many", .font = QFont()};
        for (const SheetCellRecord& cell : kept.sheet.cells) {
            drawing.cells.push_back({.file = cell.files[0], .caption = {"1.2 s"}});
        }
        const QImage drawn = drawSheet(drawing);
        QVERIFY2(std::max(drawn.width(), drawn.height()) <= kLargestShownSide,
                 qPrintable(QString("%1 x %2").arg(drawn.width()).arg(drawn.height())));
        QVERIFY(std::max(drawn.width(), drawn.height()) > kLargestShownSide / 2);
        const QString path = kept.folder.filePath("sheet.png");
        QVERIFY(drawn.save(path));
        QCOMPARE(loadImage(path).problem, QString());
        const QColor last = QColor::fromHsv(99 * 37 % 360, 200, 220);
        bool isThere = false;
        for (int y = drawn.height() / 8; y < drawn.height() && !isThere; ++y) {
            isThere = drawn.pixelColor(drawn.width() - 20, y).rgb() == last.rgb() ||
                      drawn.pixelColor(drawn.width() * 3 / 4, y).rgb() == last.rgb();
        }
        QVERIFY(isThere);
    }

    void namesOfSheetsAreFree() {
        const QTemporaryDir folder;
        QCOMPARE(claimedSheetName(folder.path(), "a/b: 湖"),
                 folder.filePath("a_b_ 湖_sheet_00001.png"));
        QVERIFY(QFile(folder.filePath("x_sheet_00001.png")).open(QIODevice::WriteOnly));
        QCOMPARE(claimedSheetName(folder.path(), "x"), folder.filePath("x_sheet_00002.png"));
        QCOMPARE(claimedSheetName(folder.path(), ""), folder.filePath("lowtide_sheet_00001.png"));
        QCOMPARE(claimedSheetName(folder.filePath("no/folder"), "x"),
                 folder.filePath("no/folder/x_sheet_00001.png"));
    }

    /// As two studios that write into one folder.
    void twoThatAskAtOnceGetTwoNames() {
        constexpr int kEach = 100;
        const QTemporaryDir folder;
        QSet<QString> names;
        std::mutex mutex;
        const auto ask = [&] {
            for (int i = 0; i < kEach; ++i) {
                const QString name = claimedSheetName(folder.path(), "x");
                const std::lock_guard lock(mutex);
                names.insert(name);
            }
        };
        std::thread other(ask);
        ask();
        other.join();
        QCOMPARE(names.size(), 2 * kEach);
    }

    void theDialogEndsWhileACellIsPlanned() {
        constexpr int kPlanMilliseconds = 2000;
        Background background;
        graph::Catalog catalog(nodes());
        TwoModels models;
        ScriptedRunner runner;
        runner.setAnswers({}, {{"plan", Json::object()}}, Status::Ok, kPlanMilliseconds);
        auto dialog = std::make_unique<SheetDialog>(
            document(), catalog, &models, runner, background, Json::object(), nullptr);
        dialog->preselect({});
        QTRY_VERIFY_WITH_TIMEOUT(!runner.plannedGraphs().empty(), kPatience);
        QElapsedTimer clock;
        clock.start();
        dialog.reset();
        QVERIFY(clock.elapsed() < kPlanMilliseconds / 4);
        background.finish();
        QCoreApplication::processEvents();  // the answer finds nobody
    }

    void looks_data() { test::addSchemes(); }

    void looks() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        SheetView empty;
        empty.resize(900, 560);
        QCOMPARE(test::lookAt(empty, "sheet_empty"), QString());
        ShownSheet seen(planOf({"4", "8", "12", "16"},
                               {"a cat on a boat in the middle of a lake at dawn", "dog", "狐狸"}));
        seen.sheet.cells[6] = {.run = "a:6",
                               .isKnown = true,
                               .state = RunState::Failed,
                               .problem = "The device has 4 GiB, 6.2 GiB are needed"};
        seen.sheet.cells[11] = {.run = "a:11", .isKnown = true};
        seen.sheet.cells[10] = {.run = "a:10", .isKnown = true};
        seen.view.showSheet(seen.sheet, seen.plan);
        seen.view.setProgress("a:10", 0.4);
        seen.waitForImages();
        seen.view.findChild<QToolButton*>("figures")->setChecked(true);
        auto* marks = seen.view.findChild<QComboBox*>("marks");
        marks->setCurrentIndex(1);
        Q_EMIT marks->activated(1);
        seen.view.setCurrentCell(5);
        QTRY_VERIFY_WITH_TIMEOUT(!seen.view.findChild<ImageView*>()->image().empty(), kPatience);
        QCOMPARE(test::lookAt(seen.view, "sheet"), QString());
        Asked asked;
        Asked::choose(asked.y(), "Denoise: Memory policy");
        QTRY_VERIFY_WITH_TIMEOUT(asked.time().startsWith("All"), kPatience);
        QCOMPARE(test::lookAt(asked.dialog, "sheet_dialog"), QString());
        Asked texts;
        Asked::choose(texts.x(), "Encode prompt: Prompt");
        Asked::choose(texts.y(), "Load checkpoint: Checkpoint");
        texts.x().findChild<QPlainTextEdit*>("texts")->setPlainText("dog");
        QCOMPARE(test::lookAt(texts.dialog, "sheet_dialog_texts"), QString());
        const QString shots = qEnvironmentVariable("LOWTIDE_SCREENSHOTS");
        if (!shots.isEmpty()) {
            SheetDrawing drawing{.plan = seen.plan,
                                 .title = seen.sheet.title,
                                 .cells = {},
                                 .font = Theme::current().font("body")};
            for (const SheetCellRecord& cell : seen.sheet.cells) {
                drawing.cells.push_back({.file = cell.files.value(0),
                                         .caption = {"1.2 s, 800 MiB"},
                                         .problem = cell.problem});
            }
            QVERIFY(drawSheet(drawing).save(shots + "/sheet_drawn.png"));
        }
        test::wear(Theme::Scheme::Light);
    }
};

LOWTIDE_WINDOW_TEST(SheetTest)

}  // namespace sheet_test

#include "sheet_test.moc"
