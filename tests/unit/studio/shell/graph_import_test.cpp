// What another program wrote becomes a graph of its own tab, with a report of what became of it.
#include "plugin/image/image_file.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/document_disk.hpp"
#include "tests/fixtures/file_copies.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/canvas/viewport.hpp"
#include "ui/document/edits.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/studio/graph_import.hpp"

namespace graph_import_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

constexpr int kLaidOut = 300;  ///< milliseconds

constexpr const char* kPrompt = R"({"3": {"class_type": "KSampler", "inputs": {"seed": 5}}})";
constexpr const char* kParameters = "a fox\nSteps: 20, Sampler: Euler, Seed: 5, Model: fox";

Json reportJson() {
    return Json::parse(R"({"source": "ComfyUI workflow",
        "exact": [{"kind": "node", "class": "VAEDecode", "id": "8"}, {"kind": "node", "class": "SaveImage", "id": "save"}],
        "near": [{"kind": "node", "class": "KSampler", "id": "denoise", "why": ["the noise is another"]}],
        "missing": [{"kind": "node", "class": "FaceDetailer", "id": "odd", "why": ["no node here stands for it"]},
                    {"kind": "model", "name": "fox.safetensors", "id": "load", "why": ["it is in none of the folders"]}],
        "left_out": [{"kind": "node", "class": "LoraLoader", "id": "7", "why": ["it is bypassed"]}],
        "runs": ["save"]})");
}

/// One of the nodes cannot run, and the model is not there.
graph::Document importedDocument() {
    graph::Document document = defaultGraph();
    graph::DocumentNode odd;
    odd.type = "comfyui.FaceDetailer";
    odd.params = {{"size", 512}};
    odd.position = {900, 900};
    document.nodes["odd"] = odd;
    return document;
}

QByteArray comfyImage() {
    const Image8 image{.widthPixels = 2,
                       .heightPixels = 2,
                       .channels = 3,
                       .pixels = std::make_shared<uint8_t[]>(12)};
    return QByteArray::fromStdString(image::encodePng(image, {{"prompt", kPrompt}}));
}

/// A window whose module imports everything as one graph.
struct Importing {
    SmallPlugin plugin;
    std::optional<Opened> opened;
    std::vector<Json> requests;  ///< written by the other thread before the graph is there
    graph::Document made = importedDocument();
    bool refuses = false;

    Importing() {
        plugin.importGraph = [this](const Json& request, std::string& result) {
            requests.push_back(request);
            result = refuses ? R"({"issues": [{"severity": "error", "code": "corrupt",
                                   "message": "two nodes have the id 3", "hint": "save it again"}]})"
                             : Json{{"graph", graph::toJson(made)},
                                    {"report", reportJson()},
                                    {"issues", Json::array()}}
                                   .dump();
            return refuses ? Status::Invalid : Status::Ok;
        };
        opened.emplace([this]() -> Plugin& { return plugin; });
        QTRY_VERIFY_WITH_TIMEOUT(opened->window->controller() && !opened->work().file.isBusy(),
                                 kPatience);
        test::bringToFront(*opened->window);
    }

    ~Importing() { opened.reset(); }  // before the module

    [[nodiscard]] GraphModel& model() { return opened->work().model; }

    [[nodiscard]] DocumentFile& file() { return opened->work().file; }

    [[nodiscard]] MainWindowWidgets& widgets() { return opened->widgets(); }

    [[nodiscard]] QString write(const char* name, const QByteArray& bytes) {
        writeFile(opened->folder.filePath(name), bytes);
        return opened->folder.filePath(name);
    }

    [[nodiscard]] bool isImported() { return model().node("odd") != nullptr; }

    void paste() {
        widgets().canvas.setFocus();
        QTest::keyClick(&widgets().canvas, Qt::Key_V, Qt::ControlModifier);
    }

    void edit() {
        model().apply("Steps", [](graph::Document& document) {
            document.nodes.at("denoise").params["steps"] = 3;
        });
    }
};

/// A language of its own.
class CapitalTexts : public ModuleTexts {
public:
    [[nodiscard]] std::optional<QString> message(const Message& message) const override {
        return QString::fromStdString(message.str()).toUpper();
    }
};

QStringList codesOf(const Issues& issues) {
    QStringList codes;
    for (const Issue& issue : issues) {
        codes << QString::fromStdString(issue.code);
    }
    return codes;
}

}  // namespace

class GraphImportTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void theReportBecomesIssues_exceptForWhatACheckStates() {
        const Issues issues = importIssues(reportJson(), importedDocument());

        QCOMPARE(codesOf(issues), (QStringList{"import_near", "import_left_out", "import_exact"}));
        QCOMPARE(issues[0].node, std::string("denoise"));
        QCOMPARE(issues[0].severity, Severity::Warning);
        QCOMPARE(issues[0].message.str(), std::string("KSampler: the noise is another"));
        QCOMPARE(issues[1].node, std::string());  // it is not in the graph
        QCOMPARE(issues[1].message.str(), std::string("LoraLoader: it is bypassed"));
        QVERIFY(issues[2].message.str().find("SaveImage, VAEDecode") != std::string::npos);
    }

    void aFamilyThatDoesNotRunIsAnIssue() {
        const Json report = {
            {"missing",
             {{{"kind", "family"}, {"name", "ltx"}, {"why", {"it does not run here"}}}}}};
        const Issues issues = importIssues(report, {});
        QCOMPARE(codesOf(issues), QStringList{"import_family"});
        QCOMPARE(issues[0].message.str(), std::string("ltx: it does not run here"));
    }

    void theReportSpeaksTheLanguageOfTheProgram() {
        const std::shared_ptr<const ModuleTexts> before = ModuleTexts::current();
        ModuleTexts::setCurrent(std::make_shared<const CapitalTexts>());
        const Issues issues = importIssues(reportJson(), importedDocument());
        ModuleTexts::setCurrent(before);
        QCOMPARE(issues[0].message.str(), std::string("KSAMPLER: THE NOISE IS ANOTHER"));
    }

    void aReportOfAnotherShapeIsNone() {
        QVERIFY(importIssues(Json(), {}).empty());
        QVERIFY(importIssues(Json{{"near", 5}, {"exact", {1, 2}}}, {}).size() == 1);
    }

    void aWorkflowOpensInATabOfItsOwn_withItsReport() {
        Importing studio;
        studio.edit();
        const QString path = studio.write("flow.json", kPrompt);

        QVERIFY(test::openPath(studio.opened->window->controller()->files(), path));

        QVERIFY(studio.isImported());
        QCOMPARE(studio.file().documents().size(), size_t{2});
        QCOMPARE(studio.file().name(), QString("flow"));
        QCOMPARE(studio.file().path(), QString());  // never saved over
        QVERIFY(!studio.model().isModified());
        QCOMPARE(studio.requests.at(0).at("text").get<std::string>(), std::string(kPrompt));
        QCOMPARE(studio.requests.at(0).at("imageFolders").at(0).get<std::string>(),
                 studio.opened->folder.path().toStdString());
        const QString notice = studio.widgets().notices.text();
        QVERIFY2(notice.contains("flow") && notice.contains("2 exact, 1 near, 2 missing"),
                 qPrintable(notice));
        QVERIFY(studio.widgets().panels.isShown("issues"));
        QVERIFY(studio.widgets().issues.report().contains("the noise is another"));
        test::keepScreenshot(*studio.opened->window, "import_report");
        QTRY_COMPARE_WITH_TIMEOUT(
            test::textProblems(*studio.opened->window), QStringList(), kPatience);
    }

    /// The report lies over the top of the canvas. A high graph is fitted by its height.
    void theGraphIsFittedBelowItsReport_untilTheUserMovesIt() {
        Importing studio;
        setPosition(studio.made.nodes.at("odd"), {900, 3000});
        QVERIFY(test::openPath(studio.opened->window->controller()->files(),
                               studio.write("flow.json", kPrompt)));
        const GraphView& canvas = studio.widgets().canvas;
        NoticeBar& notices = studio.widgets().notices;
        const auto isSeen = [&] {
            const QRect seen = canvas.viewport()->rect().adjusted(0, notices.height(), 0, 0);
            const auto rects = qobject_cast<const GraphScene*>(canvas.scene())->nodeRects();
            return std::ranges::all_of(rects, [&](const auto& entry) {
                return seen.contains(canvas.mapFromScene(entry.second).boundingRect());
            });
        };
        QTest::qWait(kLaidOut);
        QVERIFY(notices.isVisible());
        QVERIFY(isSeen());

        for (const char* late : {"first", "second"}) {
            notices.show(NoticeKind::Warning, late);
        }
        QVERIFY(isSeen());

        studio.widgets().canvas.navigation().pan({0, 1});
        const QTransform before = canvas.viewportTransform();
        notices.show(NoticeKind::Info, "news");
        QTest::qWait(kLaidOut);
        QCOMPARE(canvas.viewportTransform(), before);
    }

    void aGraphAtWhichTheUserWorksIsNotMovedByNews() {
        Importing studio;
        studio.edit();
        const GraphView& canvas = studio.widgets().canvas;
        studio.widgets().canvas.invoke("view.fit_all");
        const QTransform before = canvas.viewportTransform();
        for (const char* news : {"first", "second", "third"}) {
            studio.widgets().notices.show(NoticeKind::Warning, news);
        }
        QTest::qWait(kLaidOut);
        QCOMPARE(canvas.viewportTransform(), before);
    }

    void theReportIsThatOfTheShownTab() {
        Importing studio;
        studio.edit();
        const DocumentId first = studio.model().shown();
        QVERIFY(test::openPath(studio.opened->window->controller()->files(),
                               studio.write("flow.json", kPrompt)));
        const DocumentId second = studio.model().shown();

        studio.file().show(first);
        QVERIFY(!studio.widgets().issues.report().contains("the noise is another"));
        QCOMPARE(studio.widgets().notices.text(), QString());
        studio.file().show(second);
        QVERIFY(studio.widgets().issues.report().contains("the noise is another"));
        QVERIFY(studio.widgets().notices.text().contains("2 exact, 1 near, 2 missing"));

        studio.model().apply("Delete", [&](graph::Document& document) {
            removeNodes(document, studio.model().catalog(), {"denoise"});
        });
        studio.file().show(first);
        studio.file().show(second);
        QVERIFY(!studio.widgets().issues.report().contains("the noise is another"));

        studio.model().undoStack().undo();
        QTRY_VERIFY_WITH_TIMEOUT(studio.widgets().issues.report().contains("the noise is another"),
                                 kPatience);
    }

    void theClipboardIsImported_data() {
        const Rows<QString, QString> row("text", "html");
        row("a workflow", kPrompt, "");
        row("A1111's settings", kParameters, "");
        row("nodes of ComfyUI's canvas",
            "",
            QStringLiteral("<span data-metadata=\"%1\"></span>Text")
                .arg(QString::fromLatin1(QByteArray(kPrompt).toBase64())));
    }

    void theClipboardIsImported() {
        QFETCH(QString, text);
        QFETCH(QString, html);
        Importing studio;
        studio.edit();
        auto* data = new QMimeData;
        if (!text.isEmpty()) {
            data->setText(text);
        }
        if (!html.isEmpty()) {
            data->setHtml(html);
        }
        QGuiApplication::clipboard()->setMimeData(data);

        studio.paste();

        QTRY_VERIFY_WITH_TIMEOUT(studio.isImported(), kPatience);
        QCOMPARE(QString::fromStdString(studio.requests.at(0).at("text").get<std::string>()),
                 text.isEmpty() ? html : text);
        QCOMPARE(studio.file().documents().size(), size_t{2});
        QCOMPARE(studio.file().name(), QString("pasted"));
    }

    void whatIsPastedIntoAPromptIsOfferedAsAGraph() {
        Importing studio;
        studio.widgets().canvas.select({"encode"});
        studio.widgets().panels.show("inspector");
        QPlainTextEdit* prompt = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT(
            (prompt = studio.widgets().inspector.findChild<QPlainTextEdit*>("prompt")) != nullptr,
            kPatience);
        prompt->setFocus();
        QGuiApplication::clipboard()->setText(kParameters);

        QTest::keyClick(prompt, Qt::Key_V, Qt::ControlModifier);

        QVERIFY2(studio.widgets().notices.text().contains("another program"),
                 qPrintable(studio.widgets().notices.text()));
        QVERIFY(prompt->toPlainText().contains("Sampler: Euler"));  // it may be meant
        QTest::mouseClick(studio.opened->window->findChild<QPushButton*>("noticeButton"),
                          Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(studio.isImported(), kPatience);
    }

    void aDroppedImageOfComfyUICanBeOpened() {
        Importing studio;
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(studio.write("flow.png", comfyImage()))});
        QWidget* canvas = studio.widgets().canvas.viewport();
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(canvas, &enter);
        QApplication::sendEvent(canvas, &drop);
        QPushButton* open = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT(
            (open = studio.opened->window->findChild<QPushButton*>("openGraph")) != nullptr,
            kPatience);
        QVERIFY(qobject_cast<QMessageBox*>(open->window())->text().contains("another program"));

        QTest::mouseClick(open, Qt::LeftButton);

        QTRY_VERIFY_WITH_TIMEOUT(studio.isImported(), kPatience);
        QCOMPARE(studio.file().name(), QString("flow"));
    }

    void aRefusalOpensNothing() {
        Importing studio;
        studio.refuses = true;
        const std::string before = graph::toText(studio.model().document());
        QString reported;
        answer("error", [&reported](QDialog& dialog) {
            auto& box = *qobject_cast<QMessageBox*>(&dialog);
            reported = box.text() + " " + box.informativeText();
            dialog.accept();
        });

        QVERIFY(!test::openPath(studio.opened->window->controller()->files(),
                                studio.write("flow.json", kPrompt)));

        QVERIFY2(reported.contains("two nodes have the id 3"), qPrintable(reported));
        QVERIFY2(reported.contains("ave it again"), qPrintable(reported));
        QCOMPARE(studio.file().documents().size(), size_t{1});
        QCOMPARE(graph::toText(studio.model().document()), before);
    }

    void aModuleWithoutTheCallImportsNothing() {
        Working studio;
        const QString path = studio.folder.filePath("flow.json");
        writeFile(path, kPrompt);
        QString reported;
        answer("error", [&reported](QDialog& dialog) {
            reported = qobject_cast<QMessageBox*>(&dialog)->text();
            dialog.accept();
        });
        QVERIFY(!test::openPath(studio.window->controller()->files(), path));
        QVERIFY2(reported.contains("cannot be imported"), qPrintable(reported));
    }
};

LOWTIDE_WINDOW_TEST(GraphImportTest)

}  // namespace graph_import_test

#include "graph_import_test.moc"
