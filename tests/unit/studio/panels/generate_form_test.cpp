#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/panels/look.hpp"
#include "ui/document/edits.hpp"
#include "ui/panels/generate_form.hpp"
#include "ui/panels/memory_line.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace generate_form_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

ParamDesc side(const char* id, const char* label) {
    return {.id = id,
            .label = label,
            .unit = "px",
            .kind = ParamKind::Int,
            .defaultValue = int64_t{512},
            .min = 16,
            .max = 16384,
            .step = 8};
}

std::vector<NodeDesc> nodes() {
    return {{.id = "encode",
             .label = "Encode",
             .params = {{.id = "prompt",
                         .label = "Prompt",
                         .kind = ParamKind::Text,
                         .defaultValue = std::string("a fox"),
                         .multiline = true}}},
            {.id = "latent",
             .label = "Latent",
             .params = {side("width", "Width"), side("height", "Height")}},
            {.id = "denoise",
             .label = "Denoise",
             .components = {"denoiser"},
             .params = {{.id = "steps",
                         .label = "Steps",
                         .unit = "steps",
                         .kind = ParamKind::Int,
                         .defaultValue = int64_t{20},
                         .min = 1,
                         .max = 150},
                        {.id = "seed",
                         .label = "Seed",
                         .kind = ParamKind::Seed,
                         .defaultValue = uint64_t{7}}}}};
}

graph::Document sample() {
    graph::Document document;
    document.nodes["encode"] = {.type = "encode", .params = {{"prompt", "a fox"}}};
    document.nodes["denoise"] = {.type = "denoise"};
    document.exposed = {{.node = "encode", .param = "prompt", .label = "Prompt"},
                        {.node = "denoise", .param = "steps", .label = ""},
                        {.node = "denoise", .param = "seed", .label = "Seed"}};
    return document;
}

/// With a size, and the precision of a node.
graph::Document sized() {
    graph::Document document = sample();
    document.nodes["latent"] = {.type = "latent", .params = {{"width", 1024}, {"height", 1024}}};
    document.nodes["denoise"].precision = "speed,storage=f16";
    document.exposed.insert(document.exposed.begin() + 1,
                            {{.node = "latent", .param = "width", .label = "Width"},
                             {.node = "latent", .param = "height", .label = "Height"},
                             {.node = "denoise", .param = "precision", .label = "Quality"}});
    return document;
}

Planned plannedOf(Bytes peak, Bytes capacity, double streamed, double seconds) {
    Planned planned;
    planned.plan = {
        {"devices",
         {{{"device", "cpu"}, {"peak", peak}, {"capacity", capacity}, {"estimated", false}}}},
        {"components", {{{"role", "denoiser"}, {"device", "cpu"}}}},
        {"stays",
         {{{"role", "denoiser"},
           {"resident_bytes", 100 - streamed},
           {"streamed_bytes_per_pass", streamed}}}},
        {"stages", {{{"seconds", seconds}}}}};
    planned.isFresh = true;
    return planned;
}

/// A form on the screen.
struct Shown : GenerateForm {
    explicit Shown(GraphModel& model) : GenerateForm(model, nullptr) {
        resize(340, 520);
        show();
        [this] { QVERIFY(QTest::qWaitForWindowExposed(this)); }();
    }
};

}  // namespace

class GenerateFormTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { test::wear(Theme::Scheme::Light); }

    void init() {
        test::failOnQtWarnings();
        model_ = std::make_unique<GraphModel>(catalog_);
        model_->load(sample());
    }

    void showsWhatTheGraphExposes_inItsOrder() {
        Shown form(*model_);

        QStringList names;
        for (const ExposedField* field : form.findChildren<ExposedField*>()) {
            names.push_back(field->objectName());
        }

        QCOMPARE(names,
                 (QStringList{"field.encode.prompt", "field.denoise.steps", "field.denoise.seed"}));
    }

    void makesOneStepOfTheGraph_fromTypedWords() {
        Shown form(*model_);
        auto* prompt = form.findChild<QPlainTextEdit*>();
        QVERIFY(prompt != nullptr);

        prompt->setFocus();
        QTest::keyClick(prompt, Qt::Key_End, Qt::ControlModifier);
        QTest::keyClicks(prompt, " in snow");

        QTRY_COMPARE(value("encode", "prompt"), Json("a fox in snow"));
        model_->undoStack().undo();
        QCOMPARE(value("encode", "prompt"), Json("a fox"));
        QTRY_COMPARE(prompt->toPlainText(), QString("a fox"));
    }

    void everyConfirmedEditIsAStepOfItsOwn() {
        Shown form(*model_);
        auto* editor = form.findChild<ParamEditor*>("field.denoise.steps.editor");
        const int steps = model_->undoStack().count();

        editor->setFocus();
        QTest::keyClick(editor, Qt::Key_Up);
        QTest::keyClick(editor, Qt::Key_Up);

        QCOMPARE(value("denoise", "steps"), Json(22));
        QCOMPARE(model_->undoStack().count(), steps + 2);
    }

    void followsTheGraph() {
        Shown form(*model_);
        auto* editor = form.findChild<ParamEditor*>("field.denoise.steps.editor");
        QCOMPARE(editor->value(), Json(20));

        model_->apply("steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 33;
        });

        QCOMPARE(editor->value(), Json(33));
    }

    void keepsTheWidgets_whenOnlyAValueChanges() {
        Shown form(*model_);
        auto* before = form.findChild<ExposedField*>("field.denoise.steps");

        model_->apply("steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 5;
        });

        QCOMPARE(form.findChild<ExposedField*>("field.denoise.steps"), before);
    }

    void takesAFieldAway_whenItIsNoLongerExposed() {
        Shown form(*model_);

        model_->apply("hide", [](graph::Document& document) {
            setExposed(document, "denoise", "steps", "", false);
        });

        QTRY_VERIFY(form.findChild<ExposedField*>("field.denoise.steps") == nullptr);
        QVERIFY(form.findChild<ExposedField*>("field.denoise.seed") != nullptr);
    }

    void aRatioKeepsThePixels_inOneStep() {
        model_->load(sized());
        Shown form(*model_);
        auto* ratio = form.findChild<QComboBox*>("size.latent.ratio");
        QCOMPARE(ratio->currentText(), QString("1:1"));

        choose(*ratio, "16:9");
        QCOMPARE(value("latent", "width"), Json(1368));
        QCOMPARE(value("latent", "height"), Json(768));
        choose(*ratio, "21:9");
        choose(*ratio, "1:1");

        QCOMPARE(value("latent", "width"), Json(1024));  // pixels do not drift
        QCOMPARE(value("latent", "height"), Json(1024));
        QCOMPARE(model_->undoStack().count(), 3);
    }

    void theUsualSizeOfTheModelIsOffered() {
        graph::Document document = sized();
        document.links.push_back({.from = {"latent", "latent"}, .to = {"denoise", "latent"}});
        document.nodes.at("latent").params = {{"width", 1024}, {"height", 512}};
        model_->load(document);
        Shown form(*model_);
        auto* ratio = form.findChild<QComboBox*>("size.latent.ratio");
        const int ratios = ratio->count();

        form.setFacts({{"denoise", {{"usual_pixels", 512 * 512}}}});
        const QSignalSpy removed(ratio->model(), &QAbstractItemModel::rowsRemoved);
        form.setFacts({{"denoise", {{"usual_pixels", 512 * 512}}}});
        QCOMPARE(removed.size(), 0);  // a list that is open is left alone
        choose(*ratio, "728 x 360, usual");

        QCOMPARE(value("latent", "width"), Json(728));
        QCOMPARE(value("latent", "height"), Json(360));
        QCOMPARE(model_->undoStack().count(), 1);
        QCOMPARE(ratio->count(), ratios);  // it is the size
        choose(*ratio, "1:1");
        QCOMPARE(value("latent", "width"), Json(512));
        model_->undoStack().undo();
        model_->undoStack().undo();
        QCOMPARE(ratio->count(), ratios + 1);
    }

    void theRatioFollowsTheSize() {
        model_->load(sized());
        Shown form(*model_);
        auto* ratio = form.findChild<QComboBox*>("size.latent.ratio");

        model_->apply("tall", [](graph::Document& document) {
            document.nodes.at("latent").params = {{"width", 512}, {"height", 768}};
        });
        QCOMPARE(ratio->currentText(), QString("2:3"));
        model_->apply("odd", [](graph::Document& document) {
            document.nodes.at("latent").params = {{"width", 512}, {"height", 2000}};
        });

        QCOMPARE(ratio->currentIndex(), -1);
    }

    void widthAndHeightAreSwapped_inOneStep() {
        model_->load(sized());
        model_->apply("wide", [](graph::Document& document) {
            document.nodes.at("latent").params = {{"width", 768}, {"height", 512}};
        });
        Shown form(*model_);
        const int steps = model_->undoStack().count();

        QTest::mouseClick(form.findChild<QToolButton*>("size.latent.swap"), Qt::LeftButton);

        QCOMPARE(value("latent", "width"), Json(512));
        QCOMPARE(value("latent", "height"), Json(768));
        QCOMPARE(model_->undoStack().count(), steps + 1);
        QCOMPARE(form.findChild<ParamEditor*>("field.latent.width.editor")->value(), Json(512));
    }

    void aWidthAloneIsAnOrdinaryField() {
        graph::Document document = sized();
        setExposed(document, "latent", "height", {}, false);
        model_->load(document);
        Shown form(*model_);

        QVERIFY(form.findChild<QWidget*>("size.latent") == nullptr);
        QVERIFY(form.findChild<ExposedField*>("field.latent.width")->isVisible());
    }

    void aPrecisionIsChosen_andWhatElseItStatesIsKept() {
        model_->load(sized());
        Shown form(*model_);
        auto* box = form.findChild<QComboBox*>("field.denoise.precision.editor");
        QCOMPARE(box->currentText(), QString("Speed"));
        QVERIFY(!form.findChild<QLabel*>("lost")->isVisible());

        choose(*box, "Quality");

        const Json precision = model_->node("denoise")->precision;
        QCOMPARE(precision, (Json{{"preset", "quality"}, {"storage", "f16"}}));
        model_->undoStack().undo();
        QCOMPARE(box->currentText(), QString("Speed"));
    }

    void survivesThatANodeIsRemoved() {
        Shown form(*model_);

        model_->apply("remove", [](graph::Document& document) { document.nodes.erase("denoise"); });

        auto* lost = form.findChild<QLabel*>("lost");
        QVERIFY(lost->isVisible());
        QVERIFY(lost->text().contains("denoise.steps"));
        model_->undoStack().undo();
        QVERIFY(!form.findChild<QLabel*>("lost")->isVisible());
    }

    void keepsHowASeedIsTreated() {
        Shown form(*model_);
        auto* mode = form.findChild<QComboBox*>("field.denoise.seed.mode");

        mode->setFocus();
        QTest::keyClick(mode, Qt::Key_Down);

        QCOMPARE(seedModeOf(*model_->node("denoise"), "seed"), SeedMode::Random);
        model_->undoStack().undo();
        QCOMPARE(mode->currentIndex(), 0);
    }

    void explainsHowToShowValues_whenNoneIsExposed() {
        graph::Document document = sample();
        document.exposed.clear();
        model_->load(document);
        Shown form(*model_);

        QStringList texts;
        for (const QLabel* label : form.findChildren<QLabel*>()) {
            texts += label->isVisible() ? label->text() : QString();
        }

        QVERIFY(texts.join(" ").contains("Show in Generate"));
    }

    void marksAValueThatTheCheckRefuses() {
        Shown form(*model_);
        Planned planned;
        planned.issues = {{.severity = Severity::Error,
                           .code = "value_bigger_than_max",
                           .node = "denoise",
                           .item = "steps",
                           .message = Message("steps is 500"),
                           .hint = Message("at most 150")}};

        form.setPlanned(planned);

        auto* problem = form.findChild<QLabel*>("field.denoise.steps.problem");
        QVERIFY(problem->isVisible());
        QCOMPARE(problem->text(), QString("steps is 500 (at most 150)"));
        planned.issues[0].severity = Severity::Warning;
        form.setPlanned(planned);
        QVERIFY(!problem->isVisible());
    }

    void reportsWhatTheRunNeeds_data() {
        QTest::addColumn<qint64>("peak");
        QTest::addColumn<qint64>("capacity");
        QTest::addColumn<double>("streamed");
        QTest::addColumn<double>("seconds");
        QTest::addColumn<QString>("line");
        const auto row =
            [](const char* line, Bytes peak, Bytes capacity, double streamed, double seconds) {
                QTest::newRow(line)
                    << qint64{peak} << qint64{capacity} << streamed << seconds << QString(line);
            };
        row("Needs 3.1 of 4.0 GiB, streams 60 %, about 40 s",
            3 * kGiB + kGiB / 10,
            4 * kGiB,
            60,
            39.8);
        row("Needs 1.0 of 8.0 GiB, under 1 s", kGiB, 8 * kGiB, 0, 0.2);
        row("Needs 20.0 MiB of 8.0 GiB, about 3 min", 20 * kMiB, 8 * kGiB, 0, 180);
        row("Needs 300 of 512 MiB, about 2 s", 300 * kMiB, 512 * kMiB, 0, 2);
        row("Needs 3.0 GiB, about 2 s", 3 * kGiB, 0, 0, 2);
    }

    void reportsWhatTheRunNeeds() {
        QFETCH(qint64, peak);
        QFETCH(qint64, capacity);
        QFETCH(double, streamed);
        QFETCH(double, seconds);

        QTEST(memoryLineOf(plannedOf(peak, capacity, streamed, seconds)).text, "line");
    }

    void marksATimeThatIsOnlyEstimated() {
        Planned planned = plannedOf(kGiB, 8 * kGiB, 0, 14);
        QVERIFY(memoryLineOf(planned).detail.contains("measured speeds"));
        planned.plan["devices"][0]["estimated"] = true;

        QCOMPARE(memoryLineOf(planned).text,
                 QString("Needs 1.0 of 8.0 GiB, about 14 s (estimate)"));
        QVERIFY(memoryLineOf(planned).detail.contains("was not measured"));
    }

    void namesTheGpuThatTheTimeOfARehearsalIsOf() {
        Planned planned = plannedOf(kGiB, 8 * kGiB, 0, 14);
        planned.plan["devices"][0]["estimated"] = true;
        planned.plan["devices"][0]["rehearsal"] = true;

        QCOMPARE(memoryLineOf(planned).text,
                 QString("Needs 1.0 of 8.0 GiB, about 14 s on such a GPU"));
        QVERIFY(memoryLineOf(planned).detail.contains("as long as a run on the CPU"));
    }

    void reportsThatARunDoesNotFit() {
        Planned planned;
        planned.issues = {{.code = "memory_infeasible",
                           .message = Message("denoise needs 5 GiB"),
                           .hint = Message("stream")}};

        const MemoryLine line = memoryLineOf(planned);

        QVERIFY(!line.fits);
        QCOMPARE(line.text, QString("Does not fit: denoise needs 5 GiB"));
        QCOMPARE(line.detail, QString("denoise needs 5 GiB\nstream"));
        planned.issues[0].node = "denoise";
        planned.issues[0].facts = R"({"needed": 5368709120, "capacity": 4294967296})";
        QCOMPARE(memoryLineOf(planned).text,
                 QString("Does not fit: denoise needs 5.0 GiB, 4.0 GiB available"));
        QVERIFY(memoryLineOf({}).text.isEmpty());
    }

    void survivesAPlanThatIsNone() {
        Planned planned;
        planned.plan =
            Json::parse(R"({"devices": [3, {"peak": "x"}], "stays": 7, "stages": [null]})");

        QVERIFY(memoryLineOf(planned).fits);
    }

    void wearsAThemeThatIsChosenLater() {
        GenerateForm form(*model_, nullptr);
        form.setPlanned(plannedOf(kGiB, 2 * kGiB, 0, 2));

        test::wear(Theme::Scheme::Dark);
        const QColor dark = Theme::current().colour("text");
        const QColor shown =
            form.findChild<QLabel*>("memoryLine")->palette().color(QPalette::WindowText);
        test::wear(Theme::Scheme::Light);

        QCOMPARE(shown, dark);
    }

    void runsAndCancels() {
        Shown form(*model_);
        QSignalSpy run(&form, &GenerateForm::runAsked);
        QSignalSpy cancel(&form, &GenerateForm::cancelAsked);
        auto* start = form.findChild<QPushButton*>("run");
        auto* stop = form.findChild<QPushButton*>("cancel");
        QVERIFY(!stop->isEnabled());

        QTest::mouseClick(start, Qt::LeftButton);
        form.setRunning(true);
        QTest::mouseClick(start, Qt::LeftButton);
        QCOMPARE(run.count(), 2);
        QCOMPARE(cancel.count(), 0);

        QTest::mouseClick(stop, Qt::LeftButton);
        QCOMPARE(cancel.count(), 1);
    }

    /// The window shows at once that a run has begun.
    void aDoubleClickOnRunCancelsNothing() {
        Shown form(*model_);
        connect(&form, &GenerateForm::runAsked, &form, [&form] { form.setRunning(true); });
        QSignalSpy run(&form, &GenerateForm::runAsked);
        QSignalSpy cancel(&form, &GenerateForm::cancelAsked);

        auto* button = form.findChild<QPushButton*>("run");
        QTest::mouseClick(button, Qt::LeftButton);
        QTest::mouseDClick(button, Qt::LeftButton);  // the second press alone
        QTest::mouseRelease(button, Qt::LeftButton);

        QCOMPARE(run.count(), 2);
        QCOMPARE(cancel.count(), 0);
    }

    void looksRight_data() { test::addSchemes(); }

    void looksRight() {
        QFETCH(bool, isDark);
        test::wear(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light);
        GenerateForm form(*model_, nullptr);
        form.resize(340, 520);
        Planned planned = plannedOf(3 * kGiB + kGiB / 10, 4 * kGiB, 60, 39.8);
        planned.issues = {{.severity = Severity::Error,
                           .node = "denoise",
                           .item = "steps",
                           .message = Message("steps is 500"),
                           .hint = Message("at most 150")}};
        form.setPlanned(planned);
        QCOMPARE(test::lookAt(form, "generate"), QString());
        model_->load({});

        QCOMPARE(test::lookAt(form, "generate_empty"), QString());
    }

private:
    static void choose(QComboBox& box, const char* text) {
        box.setCurrentIndex(box.findText(text));
        Q_EMIT box.activated(box.currentIndex());
    }

    [[nodiscard]] Json value(const char* node, const char* param) const {
        return model_->node(node)->params.at(param);
    }

    graph::Catalog catalog_{nodes()};
    std::unique_ptr<GraphModel> model_;
};

LOWTIDE_WINDOW_TEST(GenerateFormTest)

}  // namespace generate_form_test

#include "generate_form_test.moc"
