// Which nodes a plan walks after which edit, with the program's nodes.
#include "plugin/executor/graph_spec.hpp"
#include "plugin/executor/run_plan.hpp"
#include "plugin/memory/component_tree.hpp"
#include "plugin/nn/model.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/graph_edits.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/models/graph_bench.hpp"

#include <QFile>
#include <QTemporaryDir>

#include <numeric>

namespace cached_dry_runs_test {

using namespace lowtide;

namespace {

constexpr const char* kQuery = "attn1.to_q.weight";

/// Plans the example text_to_image again and again, as one process does.
class Planner : public testing::GraphBench {
public:
    /// What each node of the example works; `params`: "denoise.steps=4".
    std::map<std::string, memory::StageWork> workOf(const std::vector<std::string>& params,
                                                    const std::vector<std::string>& precisions,
                                                    executor::DryRunCache& dryRuns) {
        const Json graph = testing::withLora(Json::parse(testing::exampleText("text_to_image")));
        const auto planned =
            snapshot(graph, {.params = params, .policies = {}, .precisions = precisions});
        const auto graphSpec = valueOf(executor::makeGraphSpec(*planned, types(), "", ""));
        const auto devices = valueOf(executor::openDevices(*planned, {}, residency()));
        std::vector<size_t> positions(planned->nodes.size());
        std::iota(positions.begin(), positions.end(), size_t{0});
        const auto request = valueOf(executor::requestPlan(
            *planned, graphSpec, positions, devices, {}, {residency(), cache_, paces_, dryRuns}));
        std::map<std::string, memory::StageWork> work;
        for (const memory::NodeWork& node : request.nodes) {
            work[node.node] = node.work;
        }
        return work;
    }

    /// An adapter that changes one layer of the example's denoiser by nothing.
    QString writeLora(const QString& path) {
        const memory::WireRef value = stages().loadCheckpoint({.checkpoint = "builtin:mini"}, "");
        const auto tree = dynamic_cast<const models::Model&>(*value).tree(models::kDenoiser);
        const auto query = std::find_if(tree->weights.begin(), tree->weights.end(), [](auto& each) {
            return each.name.ends_with(kQuery);
        });
        const int64_t out = query->shape.at(0);
        const int64_t in = query->shape.at(1);
        const std::string layer =
            "unet." + query->name.substr(0, query->name.size() - std::strlen(".weight"));
        const Json header = {
            {layer + ".lora_A.weight",
             {{"dtype", "F32"}, {"shape", {1, in}}, {"data_offsets", {0, 4 * in}}}},
            {layer + ".lora_B.weight",
             {{"dtype", "F32"}, {"shape", {out, 1}}, {"data_offsets", {4 * in, 4 * (in + out)}}}}};
        const std::string text = header.dump();
        const auto length = static_cast<uint64_t>(text.size());
        QFile file(path);
        const bool isOpen = file.open(QIODevice::WriteOnly);
        file.write(reinterpret_cast<const char*>(&length), sizeof(length));
        file.write(text.data(), static_cast<qint64>(length));
        file.write(QByteArray(4 * (in + out), '\0'));
        return isOpen ? path : QString();
    }

private:
    template <class Value>
    static Value valueOf(std::variant<Value, Issue> answer) {
        if (const auto* issue = std::get_if<Issue>(&answer)) {
            throw std::runtime_error(issue->node + ": " + issue->message.str());
        }
        return std::get<Value>(std::move(answer));
    }

    executor::ResultCache cache_{residency().ledger(), kMiB};
    executor::WorkPaces paces_;
};

}  // namespace

class CachedDryRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void aPlanRepeatsTheDryRunsOfWhatChanged_data() {
        QTest::addColumn<QStringList>("params");
        QTest::addColumn<QString>("precision");
        QTest::addColumn<QString>("dryRunCase");  // nodes, sorted
        const auto row =
            [](const char* name, const QStringList& params, const QString& dryRunCase) {
                QTest::newRow(name) << params << QString() << dryRunCase;
            };
        const QString longText = QStringList(100, "cat").join(' ');
        row("nothing", {}, "");
        row("a seed", {"denoise.seed=9"}, "");
        row("a prompt", {"encode.prompt=a dog"}, "encode");
        row("a prompt of more tokens",
            {"encode.weights=a1111", "encode.prompt=" + longText},
            "denoise encode");
        row("steps", {"denoise.steps=4"}, "denoise");
        row("a size", {"latent.width=192"}, "decode denoise latent save");
        row("an adapter", {"lora.file=LORA"}, "denoise encode");
        QTest::newRow("precision") << QStringList() << "denoise=speed,storage=bf16"
                                   << "denoise";
    }

    /// And a plan of a memory that knows all has the same work as one that walks.
    void aPlanRepeatsTheDryRunsOfWhatChanged() {
        QFETCH(QStringList, params);
        QFETCH(QString, precision);
        QFETCH(QString, dryRunCase);
        const QTemporaryDir folder;
        const QString lora = planner_.writeLora(folder.filePath("empty.safetensors"));
        std::vector<std::string> edits;
        for (QString& param : params) {
            edits.push_back(param.replace("LORA", lora).toStdString());
        }
        std::vector<std::string> precisions;
        if (!precision.isEmpty()) {
            precisions.push_back(precision.toStdString());
        }
        executor::DryRunCache dryRuns;
        const auto before = planner_.workOf({}, {}, dryRuns);
        const int64_t first = dryRuns.dryRuns();
        QVERIFY(first >= 4);
        const auto after = planner_.workOf(edits, precisions, dryRuns);
        const auto count = dryRunCase.isEmpty() ? 0 : dryRunCase.split(' ').size();
        QCOMPARE(dryRuns.dryRuns() - first, static_cast<int64_t>(count));
        executor::DryRunCache nothing;
        const auto again = planner_.workOf(edits, precisions, nothing);
        for (const auto& [node, work] : again) {
            QVERIFY2(isSame(after.at(node), work), node.c_str());
        }
    }

private:
    /// Trees are made again for each plan.
    static bool isSame(memory::StageWork left, memory::StageWork right) {
        bool isSame = left.components.size() == right.components.size();
        for (size_t i = 0; isSame && i < left.components.size(); ++i) {
            isSame = left.components[i].tree->id == right.components[i].tree->id;
            left.components[i].tree = right.components[i].tree;
        }
        return isSame && left == right;
    }

    Planner planner_;
};

LOWTIDE_TEST(CachedDryRunsTest)

}  // namespace cached_dry_runs_test

#include "cached_dry_runs_test.moc"
