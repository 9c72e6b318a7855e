#include "tests/fixtures/test_program.hpp"
#include "tests/unit/interop/sample_workflow.hpp"

#include <QRegularExpression>
#include <QtTest/QtTest>

#include <set>
#include <string>

namespace class_table_test {

using namespace lowtide;
using namespace lowtide::interop;

namespace {

/// What an expression may name besides the values of its class.
const std::set<std::string> kKnownNames = {
    "image_width", "image_height", "skips_layer", "start_step"};
const std::set<std::string> kWords = {"if", "else", "and", "or", "not"};

/// Names in an expression that are no functions.
std::set<std::string> namesInExpression(const std::string& expression) {
    static const QRegularExpression kName(R"(\b[A-Za-z_]\w*\b(?!\s*\())");
    std::set<std::string> names;
    for (const auto& match : kName.globalMatch(QString::fromStdString(expression))) {
        const std::string name = match.captured(0).toStdString();
        if (!kWords.contains(name) && !kKnownNames.contains(name)) {
            names.insert(name);
        }
    }
    return names;
}

/// The values of a class that a parameter or setting is made of.
std::set<std::string> valuesIn(const Json& spec) {
    if (spec.is_string()) {
        return {spec.get<std::string>()};
    }
    if (spec.is_array()) {
        return {spec.begin(), spec.end()};
    }
    if (spec.contains("from")) {
        return {spec["from"].get<std::string>()};
    }
    return spec.contains("expr") ? namesInExpression(spec["expr"].get<std::string>())
                                 : std::set<std::string>();
}

std::set<std::string> valuesIn(const Recipe& recipe) {
    std::set<std::string> values;
    const auto add = [&](const std::map<std::string, Json>& specs) {
        for (const auto& [param, spec] : specs) {
            values.merge(valuesIn(spec));
        }
    };
    for (const RecipeNode& node : recipe.nodes) {
        add(node.params);
    }
    for (const std::map<std::string, Json>& settings : recipe.settings) {
        add(settings);
    }
    add(recipe.back);
    if (recipe.apart) {
        add(recipe.apart->params);
    }
    return values;
}

}  // namespace

/// The rows of the product.
class ClassTableTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// Names of other rows are of no use in an input.
    void whatIsVirtualHasNoRecipe() {
        int kinds = 0;
        for (const auto& [name, row] : sourceTable().rows()) {
            kinds += row.virtualKind == VirtualKind::None ? 0 : 1;
            QVERIFY2(row.virtualKind == VirtualKind::None || row.recipes.empty(), name.c_str());
        }
        QVERIFY(kinds > 10);
    }

    /// A value that no widget gives would always be the default, or make an expression fail.
    void recipesTakeValuesThatTheirClassHas() {
        int recipes = 0;
        for (const auto& [name, row] : sourceTable().rows()) {
            std::set<std::string> widgets;
            for (const Widget& widget : row.widgets) {
                widgets.insert(widget.name);
            }
            for (const Recipe& recipe : row.recipes) {
                ++recipes;
                for (const std::string& value : valuesIn(recipe)) {
                    QVERIFY2(widgets.contains(value), (name + ": " + value).c_str());
                }
            }
        }
        QVERIFY(recipes > 80);
    }

    /// An import reports them as messages, which the language files have by their formats.
    void reasonsHaveNoPlaceholders() {
        int reasons = 0;
        for (const auto& [name, row] : sourceTable().rows()) {
            for (const Recipe& recipe : row.recipes) {
                reasons += recipe.near.empty() ? 0 : 1;
                QVERIFY2(recipe.near.find_first_of("{}") == std::string::npos, recipe.near.c_str());
            }
        }
        QVERIFY(reasons > 10);
    }

    void theMostSpecificNameDecidesOnAFamily_data() {
        const testing::Rows<QString, QString, bool> row("file", "family", "runs");
        row("FLUX.1", "flux1-dev.safetensors", "flux1", true);
        row("its fill model", "flux1-fill-dev.safetensors", "flux1_fill", false);
        row("its edges", "flux1-canny-dev.safetensors", "flux1_control", false);
        row("WAN", "wan2.1_i2v_480p_14B_fp16.safetensors", "wan", true);
        row("its trajectories", "Wan2_1-I2V-ATI-14B_fp8_e4m3fn.safetensors", "wan_ati", false);
        row("its 5B", "wan2.2_ti2v_5B_fp16.safetensors", "wan_5b", false);
    }

    void theMostSpecificNameDecidesOnAFamily() {
        QFETCH(QString, file);
        QFETCH(QString, family);
        QFETCH(bool, runs);

        const FamilyRow* found = sourceTable().familyOf(file.toStdString());

        QVERIFY(found != nullptr);
        QCOMPARE(QString::fromStdString(found->id), family);
        QCOMPARE(found->runs, runs);
    }
};

LOWTIDE_TEST(ClassTableTest)

}  // namespace class_table_test

#include "class_table_test.moc"
