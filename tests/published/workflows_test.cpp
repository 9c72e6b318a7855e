#include "plugin/base/text.hpp"
#include "plugin/host_api/runner.hpp"
#include "plugin/interop/import.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/published_files.hpp"
#include "tests/fixtures/template_workflows.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/published/published_rows.hpp"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace workflows_test {

using namespace lowtide;
using namespace lowtide::testing;

namespace {

constexpr double kLeastUse = 0.17;  ///< of all uses of open templates, that needs nothing missing

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

struct Template {
    std::string name;
    double uses = 0;
    bool isOpen = false;  ///< it asks for no service
};

/// As the package's index states them, those that are used most first.
std::vector<Template> templates() {
    std::vector<Template> all;
    for (const Json& category : jsonOfFile(templatesFolder() + "/index.json")) {
        for (const Json& entry : category.at("templates")) {
            all.push_back({.name = entry.at("name").get<std::string>(),
                           .uses = entry.value("usage", 0.0),
                           .isOpen = entry.value("openSource", true)});
        }
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &Template::uses);
    return all;
}

/// What a workflow falls short of, in a line; empty: nothing.
std::string shortfallOf(const Json& file) {
    std::set<std::string> lacks;  // each once
    for (const Json& entry : file.at("missing")) {
        const auto kind = entry.at("kind").get<std::string>();
        const char* const key = kind == "node" ? "class" : "name";
        lacks.insert((kind == "node" ? "" : kind + " ") + entry.at(key).get<std::string>());
    }
    return join(std::vector(lacks.begin(), lacks.end()), ", ");
}

using FindPort = const PortDesc* (*)(const NodeDesc& desc, std::string_view port);

/// Of a node that stands for none of ours any port counts.
bool hasPort(const graph::Document& document,
             const graph::Catalog& catalog,
             const graph::PortRef& port,
             FindPort find) {
    const auto node = document.nodes.find(port.node);
    if (node == document.nodes.end()) {
        return false;
    }
    const NodeDesc* desc = catalog.find(node->second.type);
    return desc == nullptr || find(*desc, port.port) != nullptr;
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
        std::string differences;
        for (const auto& [name, prompt] : expected.items()) {
            const QString path = templateFile(QString::fromStdString(name));
            const interop::Prompt read = interop::readPrompt(jsonOfFile(path), table);
            for (const auto& [id, node] : prompt.items()) {
                const std::string where = name + ", node " + id;
                QVERIFY2(read.nodes.contains(id), where.c_str());
                const interop::PromptNode& found = read.nodes.at(id);
                QVERIFY2(found.type == node.at("class"), where.c_str());
                const Json difference = Json::diff(node.at("inputs"), inputsOf(found));
                if (!difference.empty()) {
                    differences += where + ": " + difference.dump() + "\n";
                }
            }
            QCOMPARE(read.nodes.size(), prompt.size());
        }
        QVERIFY2(differences.empty(), differences.c_str());
    }

    void everyOneIsRead() {
        for (const Template& each : templates()) {
            QVERIFY2(coverage().contains(each.name), each.name.c_str());
        }
        for (const auto& [name, file] : coverage()) {
            const std::string problem = name + ": " + file.value("problem", std::string());
            QVERIFY2(!file.contains("problem"), problem.c_str());
        }
    }

    /// Each wire leads from an output of our nodes to an input of theirs, and the graph's text is
    /// read as it was written.
    void graphsOfAllAreValid() {
        const std::span<const NodeDesc> nodes = openModule().nodes();
        const graph::Catalog catalog({nodes.begin(), nodes.end()});
        const std::string resources = sourcePath("resources").toStdString();
        const interop::ClassTable table = interop::readClassTable(resources);
        const interop::SamplerNames samplers = interop::readSamplerNames(resources);
        for (const Template& each : templates()) {
            const std::string text =
                contentsOf(templateFile(QString::fromStdString(each.name))).toStdString();
            const graph::Document document =
                interop::importText(
                    text,
                    samplers,
                    {.catalog = catalog, .table = table, .imageSize = {}, .findFile = {}})
                    .document;
            for (const graph::Link& link : document.links) {
                const std::string where = each.name + ", " + link.from.node + "." + link.from.port +
                                          " -> " + link.to.node + "." + link.to.port;
                QVERIFY2(hasPort(document, catalog, link.from, graph::findOutput), where.c_str());
                QVERIFY2(hasPort(document, catalog, link.to, graph::findInput), where.c_str());
            }
            const std::string written = graph::toText(document);
            QVERIFY2(graph::toText(graph::parseDocument(written)) == written, each.name.c_str());
        }
    }

    /// No workflow is complete with a file that `lowtide check` refuses.
    void familiesRunWhereTheirFilesDo() {
        const interop::ClassTable table =
            interop::readClassTable(sourcePath("resources").toStdString());
        int known = 0;
        for (const PublishedRow& row : publishedRows("check")) {
            const QString folder = row.what.section('/', 1, -2);
            const interop::FamilyRow* family =
                table.familyOf(row.what.section('/', -1).toStdString());
            if (family != nullptr && (folder == "checkpoints" || folder == "diffusion_models")) {
                ++known;
                QVERIFY2(family->runs == row.expected.startsWith("runs"), qPrintable(row.what));
            }
        }
        QVERIFY(known > 30);
    }

    void theCoveredOnesHaveNothingMissing_data() { addRows("name", kCoveredTemplates); }

    void theCoveredOnesHaveNothingMissing() {
        QFETCH(QString, name);

        const Json& file = coverage().at(name.toStdString());

        QVERIFY2(file.at("complete").get<bool>(), file.at("missing").dump().c_str());
    }

    /// A megapixel of an image of 24 x 16, whose size is asked of its file.
    void aSizeFollowsFromTheImage() {
        const QTemporaryDir folder;
        linkTemplateImages(publishedFolder() + "/pictures/plain.png", folder.path());
        const QString out = folder.filePath("graph.json");

        const CommandResult result =
            runLowtide({"import",
                        templateFile("utility_z_image_turbo_2k_upscaler.app"),
                        "--model-folder",
                        folder.path(),
                        "--out",
                        out});

        QVERIFY2(result.exitCode == 0, qPrintable(result.errors));
        const Json params = jsonOfFile(out).at("nodes").at("87:78").at("params");
        QCOMPARE(params.at("width"), Json(1254));
        QCOMPARE(params.at("height"), Json(836));
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

    /// Of templates that ask for no service. A line for each that falls short.
    void coverOfUse() {
        double all = 0, covered = 0;
        for (const Template& each : templates()) {
            if (!each.isOpen) {
                continue;
            }
            const Json& file = coverage().at(each.name);
            const bool isComplete = file.at("complete").get<bool>();
            const std::string why = shortfallOf(file);
            QVERIFY2(isComplete == why.empty(), (each.name + ": " + why).c_str());
            if (!isComplete) {
                qInfo("%6.0f  %s: %s", each.uses, each.name.c_str(), why.c_str());
            }
            all += each.uses;
            covered += isComplete ? each.uses : 0;
        }
        qInfo("%.1f %% of the use of open templates has nothing missing", 100 * covered / all);
        QVERIFY(covered >= kLeastUse * all);
    }
};

LOWTIDE_TEST(WorkflowsTest)

}  // namespace workflows_test

#include "workflows_test.moc"
