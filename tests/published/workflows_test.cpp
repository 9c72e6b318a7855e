#include "plugin/interop/prompt.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <set>
#include <string>

namespace workflows_test {

using namespace lowtide;
using namespace lowtide::testing;

namespace {

/// Those that the families and nodes of this version cover, by how often they are used.
constexpr const char* kCovered[] = {"image_z_image_turbo",
                                    "video_wan2_2_14B_i2v",
                                    "video_wan2_2_14B_flf2v",
                                    "image_sdxl_simple",
                                    "video_wan2_2_14B_t2v",
                                    "utility_z_image_turbo_2k_upscaler.app",
                                    "image_z_image_turbo_int8",
                                    "sdxlturbo_example",
                                    "image_z_image",
                                    "sdxl_simple_example",
                                    "image_to_video_wan",
                                    "text_to_video_wan",
                                    "sdxl_refiner_prompt_example",
                                    "image_z_image_int8",
                                    "hidream_i1_dev",
                                    "hidream_i1_full",
                                    "utility_interpolation_image_upscale",
                                    "wan2.1_flf2v_720_f16",
                                    "hidream_i1_fast",
                                    "basic_switch_node"};
constexpr double kLeastUse = 0.17;  ///< of all uses of open templates, that needs nothing missing

QString templatesFolder() {
    return publishedPackageFile("comfyui_workflow_templates_json/templates");
}

Json jsonOfFile(const QString& path) {
    return parseJson(contentsOf(path).toStdString(), path.toStdString());
}

/// What ComfyUI's editor sends for each template whose classes the table has: made by a converter
/// that was written for that alone (README.md), as one object, packed by qCompress.
Json expectedPrompts() {
    const QByteArray packed = contentsOf(sourcePath("tests/published/workflow_prompts.z"));
    return parseJson(qUncompress(packed).toStdString(), "workflow_prompts.z");
}

Json inputsOf(const interop::PromptNode& node) {
    Json inputs = Json::object();
    for (const auto& [name, input] : node.inputs) {
        if (input.from) {
            inputs[name] = {input.from->node, input.from->slot};
        } else if (!input.value.is_null()) {
            inputs[name] = input.value;
        }
    }
    return inputs;
}

/// What `lowtide import --coverage` reports on each template, by name.
const std::map<std::string, Json>& coverage() {
    static const std::map<std::string, Json> kFiles = [] {
        const CommandResult result =
            runLowtide({"import", "--coverage", templatesFolder(), "--json"});
        std::map<std::string, Json> files;
        for (const Json& file : parseJson(result.output.toStdString(), "coverage")) {
            files[file.at("file").get<std::string>()] = file;
        }
        return files;
    }();
    return kFiles;
}

/// Uses of each open template, as the package's index states them.
std::map<std::string, double> usesOfOpenTemplates() {
    std::map<std::string, double> uses;
    for (const Json& category : jsonOfFile(templatesFolder() + "/index.json")) {
        for (const Json& entry : category.at("templates")) {
            if (entry.value("openSource", true)) {
                uses[entry.at("name").get<std::string>()] = entry.value("usage", 0.0);
            }
        }
    }
    return uses;
}

}  // namespace

/// The templates that ComfyUI offers (comfyui-workflow-templates-json).
class WorkflowsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void areReadAsTheServerIsSentThem() {
        const interop::ClassTable table =
            interop::readClassTable(sourcePath("resources").toStdString());
        const Json expected = expectedPrompts();
        for (const auto& [name, prompt] : expected.items()) {
            const QString path = templatesFolder() + "/" + QString::fromStdString(name) + ".json";
            const interop::Prompt read = interop::readPrompt(jsonOfFile(path), table);
            for (const auto& [id, node] : prompt.items()) {
                const std::string where = name + ", node " + id;
                QVERIFY2(read.nodes.contains(id), where.c_str());
                const interop::PromptNode& found = read.nodes.at(id);
                QVERIFY2(found.type == node.at("class"), where.c_str());
                const std::string difference =
                    where + ": " + Json::diff(node.at("inputs"), inputsOf(found)).dump();
                QVERIFY2(inputsOf(found) == node.at("inputs"), difference.c_str());
            }
            QCOMPARE(read.nodes.size(), prompt.size());
        }
    }

    void everyOneIsRead() {
        QVERIFY(coverage().size() > 600);
        for (const auto& [name, file] : coverage()) {
            const std::string problem = name + ": " + file.value("problem", std::string());
            QVERIFY2(!file.contains("problem"), problem.c_str());
        }
    }

    void theCoveredOnesHaveNothingMissing_data() { addRows("name", kCovered); }

    void theCoveredOnesHaveNothingMissing() {
        QFETCH(QString, name);

        const Json& file = coverage().at(name.toStdString());

        QVERIFY2(file.at("complete").get<bool>(), file.at("missing").dump().c_str());
    }

    void imagesOfOtherProgramsAreImported_data() {
        const Rows<QString, QString> row("image", "source");
        row("comfyui.png", "comfyui.png", "ComfyUI workflow");
        row("comfyui.webp", "comfyui.webp", "ComfyUI workflow");
        row("comfyui_nan.png", "comfyui_nan.png", "ComfyUI workflow");
        row("a1111.png", "a1111.png", "AUTOMATIC1111 settings");
        row("a1111_unicode.png", "a1111_unicode.png", "AUTOMATIC1111 settings");
        row("a1111.jpg", "a1111.jpg", "AUTOMATIC1111 settings");
        row("a1111.webp", "a1111.webp", "AUTOMATIC1111 settings");
        row("forge_flux.png", "forge_flux.png", "AUTOMATIC1111 settings");
        row("fooocus.png", "fooocus.png", "Fooocus settings");
        row("fooocus_a1111.png", "fooocus_a1111.png", "AUTOMATIC1111 settings");
        row("invokeai.png", "invokeai.png", "InvokeAI settings");
        row("swarmui.png", "swarmui.png", "SwarmUI settings");
    }

    void imagesOfOtherProgramsAreImported() {
        QFETCH(QString, image);
        QFETCH(QString, source);
        const QTemporaryDir folder;
        const QString out = folder.filePath("graph.json"), report = folder.filePath("report.json");

        const CommandResult result = runLowtide(
            {"import", publishedFolder() + "/pictures/" + image, "--out", out, "--report", report});

        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        QCOMPARE(QString::fromStdString(jsonOfFile(report).at("source").get<std::string>()),
                 source);
        QVERIFY(contentsOf(out).contains("at dusk"));  // its prompt
        QVERIFY(contentsOf(out).contains("42"));       // its seed
    }

    void anImageWithoutAnyIsRefused() {
        const CommandResult result =
            runLowtide({"import", publishedFolder() + "/pictures/plain.png"});
        QCOMPARE(result.exitCode, 2);
        QVERIFY(result.errors.contains("carries no graph"));
    }

    void coverOfUse() {
        double all = 0, covered = 0;
        for (const auto& [name, uses] : usesOfOpenTemplates()) {
            const auto file = coverage().find(name);
            all += uses;
            covered +=
                file != coverage().end() && file->second.at("complete").get<bool>() ? uses : 0;
        }
        qInfo("%.1f %% of the use of open templates has nothing missing", 100 * covered / all);
        QVERIFY(covered >= kLeastUse * all);
    }
};

LOWTIDE_TEST(WorkflowsTest)

}  // namespace workflows_test

#include "workflows_test.moc"
