#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/screenshot.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/fixtures/text_fit.hpp"
#include "tests/unit/studio/editors/sample_params.hpp"
#include "ui/editors/memory_editor.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

namespace lowtide::ui::editor_gallery_test {

class EditorGalleryTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void textsFit_data() {
        testing::addTable<bool>({"isDark"}, {{"light", false}, {"dark", true}});
    }

    void textsFit() {
        QFETCH(bool, isDark);
        Theme::setCurrent(
            std::make_shared<const Theme>(isDark ? Theme::Scheme::Dark : Theme::Scheme::Light));
        Theme::current().applyTo(*qApp);
        const NodeDesc node = test::sampleNode();
        const auto window = makeGallery(node);
        window->show();
        QVERIFY(QTest::qWaitForWindowExposed(window.get()));
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        test::keepScreenshot(*window, QString("editors_%1").arg(isDark ? "dark" : "light"));

        window->findChild<ParamEditor*>("editor.scheduler")->begin();
        auto* list = window->findChild<QWidget*>("searchList");
        test::keepScreenshot(*list, QString("search_%1").arg(isDark ? "dark" : "light"));
        const QStringList listProblems = test::textProblems(*list);
        QVERIFY2(listProblems.isEmpty(), qPrintable(listProblems.join("\n")));
        list->close();

        const QStringList problems = test::textProblems(*window);

        QVERIFY2(problems.isEmpty(), qPrintable(problems.join("\n")));
    }

private:
    static std::unique_ptr<QWidget> makeGallery(const NodeDesc& node) {
        auto window = std::make_unique<QWidget>();
        auto* columns = new QHBoxLayout(window.get());
        columns->setSpacing(24);
        auto* params = new QWidget;
        auto* form = new QFormLayout(params);
        for (const ParamDesc& param : node.params) {
            form->addRow(QString::fromStdString(param.label),
                         makeParamEditor(node, param, nullptr, params));
        }
        ParamEditor* wrong = makeParamEditor(node, node.params[0], nullptr, params);
        wrong->setValue(999);
        form->addRow("Refused", wrong);
        ParamEditor* typed = makeParamEditor(node, node.params[2], nullptr, params);
        form->addRow("Typed", typed);
        typed->begin();
        ParamEditor* off = makeParamEditor(node, node.params[1], nullptr, params);
        off->setEnabled(false);
        form->addRow("Disabled", off);
        columns->addWidget(params);
        NodeFacts facts{.desc = &node, .devices = {"cpu", "fake:8GiB"}};
        facts.stepCache = "DeepCache, interval 3, depth 1";
        facts.plannedPrecision = {{"unet",
                                   {{"switches", {{"tf32_matmul", "not applicable here"}}},
                                    {"lossy", {"weights are stored as f16"}}}}};
        auto* memory = new MemoryEditor;
        memory->setNode(facts,
                        {{"policy", "leaf"},
                         {"stream", true},
                         {"budget", 6442450944},
                         {"components", {{"text_encoder", {{"policy", "none"}}}}}});
        columns->addWidget(scrolled(memory));
        auto* precision = new PrecisionEditor;
        precision->setNode(facts, "quality,storage=f16");
        QTest::mouseClick(precision->findChild<QToolButton*>("switches"), Qt::LeftButton);
        columns->addWidget(scrolled(precision));
        window->resize(1180, 860);
        return window;
    }

    static QScrollArea* scrolled(QWidget* widget) {
        auto* owner = new QWidget;
        auto* column = new QVBoxLayout(owner);
        column->addWidget(widget);
        column->addStretch();
        auto* area = new QScrollArea;
        area->setWidgetResizable(true);
        area->setWidget(owner);
        area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        area->setFixedWidth(360);
        return area;
    }
};

LOWTIDE_WINDOW_TEST(EditorGalleryTest)

}  // namespace lowtide::ui::editor_gallery_test

#include "editor_gallery_test.moc"
