#include "plugin/memory/planner.hpp"
#include "plugin/memory/policy.hpp"
#include "plugin/memory/precision.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/editors/sample_params.hpp"
#include "ui/editors/memory_editor.hpp"
#include "ui/theme/theme.hpp"

#include <QtWidgets>

namespace lowtide::ui::memory_editor_test {

class MemoryEditorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void initTestCase() { Theme::current().applyTo(*qApp); }

    void init() {
        test::failOnQtWarnings();
        node_ = test::sampleNode();
        reported_.clear();
        facts_ = {.desc = &node_, .devices = {"cpu", "fake:8GiB"}};
    }

    void everyPolicyOfTheRegistryIsOffered() {
        auto editor = shown(Json());
        auto* box = part<QComboBox>(*editor, "policy");

        QCOMPARE(box->count(), int(memory::planners().size()));
        QCOMPARE(box->currentText(), QString("auto"));
    }

    void whatIsChosenIsWrittenAsTheGraphTakesIt_data() {
        QTest::addColumn<QString>("name");
        for (const memory::PlannerType& type : memory::planners()) {
            QTest::newRow(type.name.c_str()) << QString::fromStdString(type.name);
        }
    }

    void whatIsChosenIsWrittenAsTheGraphTakesIt() {
        QFETCH(QString, name);
        auto editor = shown(name == "none" ? Json("leaf") : Json("none"));

        choose(*part<QComboBox>(*editor, "policy"), name);

        QCOMPARE(int(reported_.size()), 1);
        const Json& written = reported_.back();
        QCOMPARE(written.is_null(), name == "auto");
        if (!written.is_null()) {
            QCOMPARE(memory::policyFromJson(written, "memory").name, name.toStdString());
        }
    }

    void streamIsGreyWithTheSentence_data() {
        testing::addTable<QString, bool>({"policy", "mayStream"},
                                         {{"none", "none", false},
                                          {"sequential", "sequential", false},
                                          {"auto", "auto", false},
                                          {"leaf", "leaf", true},
                                          {"block", "block", true},
                                          {"model", "model", true}});
    }

    void streamIsGreyWithTheSentence() {
        QFETCH(QString, policy);
        QFETCH(bool, mayStream);
        auto editor = shown(policy.toStdString());
        auto* stream = part<QCheckBox>(*editor, "stream");

        QCOMPARE(stream->isEnabled(), mayStream);
        QCOMPARE(stream->toolTip().contains("the policy \"" + policy + "+stream\""), !mayStream);
    }

    void policyThatCannotStreamDropsIt() {
        auto editor = shown("leaf+stream,budget=2GiB");

        choose(*part<QComboBox>(*editor, "policy"), "sequential");

        QCOMPARE(memory::toText(memory::policyFromJson(reported_.back(), "memory")),
                 std::string("sequential"));
    }

    void keepIsGreyWhereNothingIsWhole() {
        auto editor = shown("leaf");
        auto* after = part<QComboBox>(*editor, "after");

        QVERIFY(!(after->model()->flags(after->model()->index(2, 0)) & Qt::ItemIsEnabled));
        QVERIFY(after->itemData(2, Qt::ToolTipRole).toString().contains("nothing to keep"));
    }

    void budgetIsTypedAsASize_data() {
        testing::addTable<QString, qint64>({"typed", "bytes"},
                                           {{"GiB", "6 GiB", qint64(6) * 1073741824},
                                            {"short", "512M", qint64(512) * 1048576},
                                            {"bytes", "4096", qint64(4096)}});
    }

    void budgetIsTypedAsASize() {
        QFETCH(QString, typed);
        QFETCH(qint64, bytes);
        auto editor = shown("leaf");

        type(*part<QLineEdit>(*editor, "budget"), typed);

        QCOMPARE(*memory::policyFromJson(reported_.back(), "memory").budget, bytes);
    }

    void sizeThatIsNoneRemains_andIsMarked() {
        auto editor = shown("leaf");
        auto* budget = part<QLineEdit>(*editor, "budget");

        type(*budget, "six");

        QVERIFY(reported_.empty());
        QCOMPARE(budget->text(), QString("six"));
        QVERIFY(budget->property("problem").toBool());
    }

    void textFormIsShown_andTaken() {
        auto editor = shown("leaf+stream");
        auto* text = part<QLineEdit>(*editor, "text");
        QCOMPARE(text->text(), QString("leaf+stream"));

        type(*text, "block:2+stream,after=drop@cpu");

        const memory::Policy policy = memory::policyFromJson(reported_.back(), "memory");
        QCOMPARE(memory::toText(policy), std::string("block:2+stream,after=drop@cpu"));
        QCOMPARE(part<QSpinBox>(*editor, "blocks")->value(), 2);
    }

    void textThatIsRefusedRemains_andIsMarked() {
        auto editor = shown("leaf");
        auto* text = part<QLineEdit>(*editor, "text");

        type(*text, "none+stream");

        QVERIFY(reported_.empty());
        QCOMPARE(text->text(), QString("none+stream"));
        QVERIFY(text->toolTip().contains("cannot stream"));
    }

    void invalidJsonIsKept_andMarked_data() {
        QTest::addColumn<QString>("json");
        QTest::newRow("unknown policy") << "\"telepathy\"";
        QTest::newRow("number") << "12";
        QTest::newRow("unknown key") << "{\"policy\":\"leaf\",\"speed\":1}";
        QTest::newRow("list") << "[]";
    }

    void invalidJsonIsKept_andMarked() {
        QFETCH(QString, json);
        auto editor = shown(Json::parse(json.toStdString()));
        auto* text = part<QLineEdit>(*editor, "text");

        QVERIFY(reported_.empty());
        QVERIFY(text->property("problem").toBool());
        QVERIFY(!text->toolTip().isEmpty());
        QVERIFY(!part<QComboBox>(*editor, "policy")->isEnabled());
        type(*text, "leaf");
        QCOMPARE(int(reported_.size()), 1);
        QVERIFY(part<QComboBox>(*editor, "policy")->isEnabled());
    }

    void componentHasAPolicyOfItsOwn() {
        auto editor = shown("leaf");
        auto* component = part<QWidget>(*editor, "component.text_encoder");

        QTest::mouseClick(component->findChild<QToolButton*>("own"), Qt::LeftButton);

        QCOMPARE(int(memory::policyFromJson(reported_.back(), "memory").components.size()), 1);
        QTRY_VERIFY(part<QComboBox>(*part<QWidget>(*editor, "component.text_encoder"), "policy"));
        component = part<QWidget>(*editor, "component.text_encoder");
        choose(*part<QComboBox>(*component, "policy"), "none");
        const memory::Policy policy = memory::policyFromJson(reported_.back(), "memory");
        QCOMPARE(policy.name, std::string("leaf"));
        QCOMPARE(policy.components.at("text_encoder").name, std::string("none"));
        QCOMPARE(component->findChild<QLabel*>("summary")->text(), QString("none"));
        QTest::mouseClick(component->findChild<QToolButton*>("own"), Qt::LeftButton);
        QVERIFY(memory::policyFromJson(reported_.back(), "memory").components.empty());
    }

    /// Of a pattern those that the plan found in the model, and those that the graph names.
    void componentsOfAPatternAreThoseOfThePlan() {
        node_.components = {"text_encoder*", "unet"};
        const auto hasPart = [](QWidget& editor, const char* role) {
            return editor.findChild<QWidget*>(QString("component.") + role) != nullptr;
        };
        memory::Policy policy;
        policy.components["text_encoder_4"] = memory::parsePolicy("none");
        auto editor = shown(memory::toJson(policy));
        QVERIFY(hasPart(*editor, "unet") && hasPart(*editor, "text_encoder_4"));
        QVERIFY(!hasPart(*editor, "text_encoder*") && !hasPart(*editor, "text_encoder"));

        facts_.plannedPrecision = {{"text_encoder", Json::object()},
                                   {"text_encoder_2", Json::object()},
                                   {"image_encoder", Json::object()}};
        editor = shown(Json());
        QVERIFY(hasPart(*editor, "text_encoder") && hasPart(*editor, "text_encoder_2"));
        QVERIFY(!hasPart(*editor, "image_encoder") && !hasPart(*editor, "text_encoder_4"));
    }

    void componentsRemain_whenTheRestChanges() {
        memory::Policy policy = memory::parsePolicy("leaf");
        policy.components["text_encoder"] = memory::parsePolicy("none");
        auto editor = shown(memory::toJson(policy));
        auto* component = part<QWidget>(*editor, "component.text_encoder");
        choose(*part<QComboBox>(*component, "policy"), "leaf");
        policy.components["text_encoder"] = memory::parsePolicy("leaf");

        choose(*part<QComboBox>(*part<QWidget>(*editor, "all"), "policy"), "model");
        QCOMPARE(memory::policyFromJson(reported_.back(), "memory").components, policy.components);
        type(*part<QLineEdit>(*editor, "text"), "sequential");
        QCOMPARE(memory::policyFromJson(reported_.back(), "memory").name,
                 std::string("sequential"));
        QCOMPARE(memory::policyFromJson(reported_.back(), "memory").components, policy.components);
    }

    void precisionsOfComponentsRemain_whenTheTextChanges() {
        auto editor = shownPrecision(
            {{"preset", "quality"}, {"components", {{"unet", {{"storage", "f8"}}}}}});

        type(*part<QLineEdit>(*editor, "text"), "quality,compute=f32");

        QCOMPARE(reported_.back()["compute"], Json("f32"));
        QCOMPARE(reported_.back()["components"]["unet"]["storage"], Json("f8"));
    }

    void anotherPolicyForgetsTheBlocks() {
        auto editor = shown("block:2");

        choose(*part<QComboBox>(*editor, "policy"), "leaf");
        choose(*part<QComboBox>(*editor, "policy"), "block");

        QCOMPARE(memory::toText(memory::policyFromJson(reported_.back(), "memory")),
                 std::string("block"));
    }

    void deviceIsChosen() {
        auto editor = shown("leaf");

        choose(*part<QComboBox>(*editor, "device"), "Rehearse on 8 GiB");

        QCOMPARE(reported_.back()["device"].get<std::string>(),
                 memory::toText(memory::parseDeviceSpec("fake:8GiB")));
    }

    void precisionIsWrittenAsTheGraphTakesIt() {
        auto editor = shownPrecision(Json());
        choose(*part<QComboBox>(*editor, "preset"), "quality");
        choose(*part<QComboBox>(*editor, "storage"), "bf16");
        choose(*part<QComboBox>(*editor, "compute"), "f32");
        type(*part<QLineEdit>(*editor, "kept"), "norm, conv_out");

        const auto choice = memory::precisionFromJson(reported_.back(), "precision");

        QCOMPARE(memory::toText(choice),
                 std::string("quality,compute=f32,storage=bf16,keep_f32=norm+conv_out"));
        QCOMPARE(part<QLineEdit>(*editor, "text")->text().toStdString(), memory::toText(choice));
    }

    void sameNodeAgain_leavesTheFields() {
        auto editor = shown("leaf");
        auto* budget = part<QLineEdit>(*editor, "budget");
        budget->setFocus();
        QTest::keyClicks(budget, "6 G");

        editor->setNode(facts_, "leaf");

        QCOMPARE(part<QLineEdit>(*editor, "budget"), budget);
        QCOMPARE(budget->text(), QString("6 G"));
    }

    void newPlanKeepsFocus_andWhatIsTyped() {
        auto editor = shownPrecision("quality");
        editor->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(editor.get()));
        auto* kept = part<QLineEdit>(*editor, "kept");
        kept->setFocus();
        QTest::keyClicks(kept, "norm");

        facts_.plannedPrecision = {{"unet", {{"lossy", {"weights are stored as f16"}}}}};
        editor->setNode(facts_, "quality");

        auto* now = part<QLineEdit>(*editor, "kept");
        QVERIFY(now != kept);
        QVERIFY(now->hasFocus());
        QCOMPARE(now->text(), QString("norm"));
        QTest::keyClick(now, Qt::Key_Return);
        QCOMPARE(reported_.back()["keep_f32"], Json::array({"norm"}));
    }

    void newPlanKeepsWhatIsSelected() {
        auto editor = shownPrecision("quality");
        editor->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(editor.get()));
        auto* kept = part<QLineEdit>(*editor, "kept");
        kept->setFocus();
        QTest::keyClicks(kept, "norm");
        kept->setSelection(1, 2);

        facts_.plannedPrecision = {{"unet", {{"lossy", {"weights are stored as f16"}}}}};
        editor->setNode(facts_, "quality");

        auto* now = part<QLineEdit>(*editor, "kept");
        QVERIFY(now != kept);
        QCOMPARE(now->selectedText(), QString("or"));
        QTest::keyClicks(now, "ear");  // in its place
        QCOMPARE(now->text(), QString("nearm"));
    }

    void nothingAskedIsNull() {
        auto editor = shownPrecision("quality");

        choose(*part<QComboBox>(*editor, "preset"), "balanced");

        QVERIFY(reported_.back().is_null());
    }

    void switchShowsItsCost_andWhatThePlanMadeOfIt() {
        facts_.plannedPrecision = {
            {"unet",
             {{"switches", {{"tf32_matmul", "not applicable here"}, {"cudnn_benchmark", "on"}}},
              {"lossy", {"weights are stored as f16"}}}}};
        auto editor = shownPrecision(Json());
        QTest::mouseClick(part<QToolButton>(*editor, "switches"), Qt::LeftButton);

        QVERIFY(part<QLabel>(*editor, "state.tf32_matmul")->text().contains("not applicable here"));
        QVERIFY(part<QLabel>(*editor, "state.tf32_matmul")->text().contains("10 bits"));
        choose(*part<QComboBox>(*editor, "switch.tf32_matmul"), "on");
        QCOMPARE(reported_.back()["switches"]["tf32_matmul"], Json(true));
    }

    void notesOfTheFamilyAreShown() {
        facts_.plannedPrecision = {{"unet", {{"notes", {"sums remain in f32"}}}}};
        const auto editor = shownPrecision("speed");

        const auto labels = editor->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().contains("sums remain in f32");
        }));
    }

    void precisionOfAComponent() {
        auto editor = shownPrecision("quality");
        auto* component = part<QWidget>(*editor, "component.unet");

        QTest::mouseClick(component->findChild<QToolButton*>("own"), Qt::LeftButton);
        QTRY_VERIFY(part<QComboBox>(*part<QWidget>(*editor, "component.unet"), "storage"));
        choose(*part<QComboBox>(*part<QWidget>(*editor, "component.unet"), "storage"), "f8");

        QCOMPARE(reported_.back()["components"]["unet"]["storage"], Json("f8"));
    }

    void invalidPrecisionIsKept_andMarked() {
        auto editor = shownPrecision("sharp");
        auto* text = part<QLineEdit>(*editor, "text");

        QCOMPARE(text->text(), QString("sharp"));
        QVERIFY(text->property("problem").toBool());
        QVERIFY(reported_.empty());
    }

private:
    std::unique_ptr<MemoryEditor> shown(const Json& memory) {
        auto editor = std::make_unique<MemoryEditor>();
        connect(editor.get(), &MemoryEditor::edited, this, [this](const Json& json) {
            reported_.push_back(json);
        });
        editor->setNode(facts_, memory);
        editor->show();
        return editor;
    }

    std::unique_ptr<PrecisionEditor> shownPrecision(const Json& precision) {
        auto editor = std::make_unique<PrecisionEditor>();
        connect(editor.get(), &PrecisionEditor::edited, this, [this](const Json& json) {
            reported_.push_back(json);
        });
        editor->setNode(facts_, precision);
        editor->show();
        return editor;
    }

    /// The newest of that name: bodies that were replaced live until the event loop runs.
    template <typename Widget>
    static Widget* part(const QWidget& owner, const char* name) {
        const auto all = owner.findChildren<Widget*>(name);
        for (auto each = all.rbegin(); each != all.rend(); ++each) {
            if (!(*each)->isHidden()) {
                return *each;
            }
        }
        return nullptr;
    }

    static void choose(QComboBox& box, const QString& text) {
        box.setFocus();
        box.showPopup();
        auto* view = box.view();
        view->setCurrentIndex(box.model()->index(box.findText(text), box.modelColumn()));
        QTest::keyClick(view, Qt::Key_Return);
    }

    static void type(QLineEdit& line, const QString& text) {
        line.setFocus();
        line.selectAll();
        QTest::keyClicks(&line, text);
        QTest::keyClick(&line, Qt::Key_Return);
    }

    NodeDesc node_;
    NodeFacts facts_;
    std::vector<Json> reported_;
};

LOWTIDE_WINDOW_TEST(MemoryEditorTest)

}  // namespace lowtide::ui::memory_editor_test

#include "memory_editor_test.moc"
