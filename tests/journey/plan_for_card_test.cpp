// `lowtide plan --as CARD`: what is planned for a card that is not there has the bytes that its
// types have anywhere, and states what of it is an estimate.
#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"
#include "tests/fixtures/command.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/module.hpp"
#include "tests/fixtures/reference.hpp"
#include "tests/fixtures/single_files.hpp"
#include "tests/fixtures/test_program.hpp"

#include <QtTest/QtTest>

#include <algorithm>
#include <limits>

namespace plan_for_card_test {

using namespace lowtide;
using testing::CommandResult;
using testing::exampleGraph;
using testing::exampleText;
using testing::runLowtide;

namespace {

constexpr double kGoalSeconds = 1;
constexpr double kPatience = 10;  ///< machines differ and are shared
/// The budget of a preset for one size of GPU is not to the byte what such a GPU has to use.
constexpr double kSameTime = 1.01;

struct Answer {
    Status status = Status::Ok;
    Json plan;
    Json issues;

    [[nodiscard]] QByteArray text() const { return QByteArray::fromStdString(issues.dump()); }

    [[nodiscard]] bool names(const char* words) const { return text().contains(words); }
};

Answer plannedGraph(const std::string& graph, const Json& options) {
    std::string text;
    const Status status = testing::openModule().runner()->plan(graph, options.dump(), text);
    Json result = Json::parse(text);
    return {.status = status, .plan = result["plan"], .issues = result["issues"]};
}

Answer planned(const Json& options, const char* example = "text_to_image") {
    return plannedGraph(exampleText(example), options);
}

Answer plannedFor(const std::string& card, Json options = Json::object()) {
    options["as"] = card;
    return planned(options);
}

/// Every node in these types, on a rehearsed card.
Answer rehearsedIn(const std::string& type, Json options = Json::object()) {
    options["device"] = "fake:8GiB";
    options["precisions"] = Json::array();
    for (const char* node : {"encode", "denoise", "decode"}) {
        options["precisions"].push_back(std::string(node) + "=balanced,storage=" + type +
                                        ",compute=" + type);
    }
    return planned(options);
}

/// Of each component, as it lies on its device.
Json weightsOf(const Json& plan) {
    Json weights = Json::object();
    for (const Json& component : plan.at("components")) {
        weights[component.at("role").get<std::string>()] = component.at("weights");
    }
    return weights;
}

Json layoutsOf(const Json& plan) {
    Json layouts = Json::array();
    for (const Json& residency : plan.at("stays")) {
        layouts.push_back({residency.at("role"),
                           residency.at("policy"),
                           residency.at("groups"),
                           residency.at("resident_bytes"),
                           residency.at("ring_bytes"),
                           residency.at("streamed_bytes_per_pass")});
    }
    return layouts;
}

Json typesOf(const Json& plan) {
    Json types = Json::object();
    for (const auto& [node, precision] : plan.at("precision").items()) {
        types[node] = {precision.at("storage"), precision.at("compute")};
    }
    return types;
}

Bytes activationsOf(const Json& plan, const char* node) {
    for (const Json& stage : plan.at("stages")) {
        if (stage.at("node") == node) {
            return stage.at("devices").at("cuda:0").at("activations").get<Bytes>();
        }
    }
    return 0;
}

const Json& deviceOf(const Json& plan) {
    return plan.at("devices").at(0);
}

double secondsOf(const Json& plan) {
    double seconds = 0;
    for (const Json& stage : plan.at("stages")) {
        seconds += stage.at("seconds").get<double>();
    }
    return seconds;
}

}  // namespace

class PlanForCardTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    /// The types are the card's, and from there on the bytes are those of the types.
    void hasTheBytesOfItsTypes_data() {
        QTest::addColumn<QString>("card");
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("policy");
        for (const char* policy : {"none", "model", "leaf+stream", "block:2", "sequential"}) {
            QTest::addRow("RTX 4060 %s", policy) << "RTX 4060"
                                                 << "f16" << policy;
        }
        QTest::newRow("Turing") << "RTX 2060"
                                << "f16"
                                << "none";
        QTest::newRow("Volta") << "cuda:7.0,8GiB"
                               << "f16"
                               << "none";
        QTest::newRow("Blackwell") << "rtx5090"
                                   << "f16"
                                   << "none";
    }

    void hasTheBytesOfItsTypes() {
        QFETCH(QString, card);
        QFETCH(QString, type);
        QFETCH(QString, policy);
        Json options = {{"policies", Json::array()}};
        for (const char* node : {"encode=", "denoise=", "decode="}) {
            options["policies"].push_back(node + policy.toStdString());
        }

        const Answer there = plannedFor(card.toStdString(), options);
        const Answer fake = rehearsedIn(type.toStdString(), options);

        QVERIFY2(there.status == Status::Ok, there.text());
        QVERIFY2(fake.status == Status::Ok, fake.text());
        QCOMPARE(typesOf(there.plan), typesOf(fake.plan));
        QCOMPARE(typesOf(there.plan).at("denoise").at(0), Json(type.toStdString()));
        QCOMPARE(weightsOf(there.plan), weightsOf(fake.plan));
        QCOMPARE(layoutsOf(there.plan), layoutsOf(fake.plan));
        QCOMPARE(deviceOf(there.plan).at("peak_weights"), deviceOf(fake.plan).at("peak_weights"));
    }

    void halfTypesHalveTheWeights() {
        const Json half = weightsOf(plannedFor("RTX 4060").plan);
        const Json pascal = plannedFor("GTX 1060 6GB").plan;
        QCOMPARE(typesOf(pascal).at("denoise"), Json({"f32", "f32"}));
        const Json whole = weightsOf(pascal);
        for (const auto& [role, bytes] : whole.items()) {
            const double fraction = half.at(role).get<double>() / bytes.get<double>();
            QVERIFY2(fraction > 0.49 && fraction < 0.55,
                     role.c_str());  // each weight begins a slot
        }
        // A file that has f16 already is stored as it is; one user's choice comes first.
        const Answer asked =
            plannedFor("RTX 4060", {{"precisions", {"denoise=quality,storage=f32,compute=f32"}}});
        QCOMPARE(weightsOf(asked.plan).at("denoiser"), whole.at("denoiser"));
        QCOMPARE(weightsOf(asked.plan).at("autoencoder"), half.at("autoencoder"));
    }

    void anUpcastIsPlannedAndReported_data() {
        testing::addTable<QString, bool>(
            {"checkpoint", "isUpcast"},
            {{"force_upcast", "sdxl_1", true}, {"no force_upcast", "sdxl_2", false}});
    }

    /// The autoencoder of Stable Diffusion XL where its file states that it overflows f16.
    void anUpcastIsPlannedAndReported() {
        QFETCH(QString, checkpoint);
        QFETCH(bool, isUpcast);
        Json options = {{"set",
                         {"load.checkpoint=" + testing::sdxlGoldenFolder().toStdString() +
                          "/checkpoints/" + checkpoint.toStdString()}}};
        const Answer answer = plannedFor("RTX 4060", options);
        options["precisions"] = {"decode=balanced,storage=f16,compute=f16"};
        const Answer half = plannedFor("RTX 4060", options);
        options["precisions"] = {"decode=balanced,storage=file,compute=f32"};
        const Answer exact = plannedFor("RTX 4060", options);

        QVERIFY2(answer.status == Status::Ok, answer.text());
        const Json& decode = answer.plan.at("precision").at("decode");
        QCOMPARE(decode.at("compute"), Json(isUpcast ? "f32" : "f16"));
        QCOMPARE(decode.at("finite_check"), Json(!isUpcast));
        QCOMPARE(decode.at("notes").dump().find("(force_upcast)") != std::string::npos, isUpcast);
        QCOMPARE(activationsOf(answer.plan, "decode"),
                 activationsOf((isUpcast ? exact : half).plan, "decode"));
        QVERIFY(activationsOf(exact.plan, "decode") > activationsOf(half.plan, "decode"));
    }

    void reportsThatItIsForACardThatIsNotThere() {
        const Answer answer = plannedFor("geforce rtx 4060");

        const Json& device = deviceOf(answer.plan);
        QCOMPARE(device.at("device"), Json("cuda:0"));
        QCOMPARE(device.at("planned_for"), Json("RTX 4060"));
        QCOMPARE(device.at("estimated"), Json(true));
        QCOMPARE(device.at("rehearsal"), Json(false));
        const Json& card = answer.plan.at("card");
        QCOMPARE(card.at("name"), Json("RTX 4060"));
        QCOMPARE(card.at("capability"), Json("8.9"));
        QCOMPARE(card.at("memory"), Json(8 * kGiB));
        QCOMPARE(card.at("estimates").size(), size_t{3});
        Bytes guessed = 0;
        for (const Json& stage : answer.plan.at("stages")) {
            guessed = std::max(
                guessed, stage.at("devices").at("cuda:0").at("guessed_workspace").get<Bytes>());
        }
        QCOMPARE(card.at("estimates").at(1),
                 Json("workspaces of convolutions (up to " + formatBytes(guessed) + ")"));
        QVERIFY(device.at("capacity").get<Bytes>() < card.at("capacity").get<Bytes>());
        for (const Json& stage : answer.plan.at("stages")) {
            if (stage.at("node") == "decode") {
                const Json& bytes = stage.at("devices").at("cuda:0");
                QVERIFY(bytes.at("guessed_workspace") > 0);
                QVERIFY(bytes.at("guessed_workspace") < bytes.at("activations"));
                QVERIFY(bytes.at("workspace") > 0);  // of its libraries
                QVERIFY(stage.at("seconds") > 0);
            }
        }
        // Neither word for the other.
        const Answer rehearsed = planned({{"device", "fake:8GiB"}});
        QCOMPARE(deviceOf(rehearsed.plan).at("planned_for"), Json(""));
        QCOMPARE(deviceOf(rehearsed.plan).at("rehearsal"), Json(true));
        QVERIFY(!rehearsed.plan.contains("card"));
    }

    /// The minimum of the plan is the least budget, to the byte.
    void keepsABudgetOrNamesTheNode() {
        const Json options = {
            {"policies", {"encode=sequential", "denoise=sequential", "decode=sequential"}}};
        const auto least =
            deviceOf(plannedFor("RTX 4060", options).plan).at("minimum").get<Bytes>();
        Json budget = options;
        budget["memoryBudget"] = std::to_string(least);
        QVERIFY(plannedFor("RTX 4060", budget).status == Status::Ok);
        budget["memoryBudget"] = std::to_string(least - 1);

        const Answer refused = plannedFor("RTX 4060", budget);

        QCOMPARE(refused.status, Status::Invalid);
        const Json& issue = refused.issues.back();
        QCOMPARE(issue.at("code"), Json("memory_infeasible"));
        QVERIFY2(issue.at("node") == "decode" || issue.at("node") == "denoise", refused.text());
        QVERIFY2(refused.names("planned for RTX 4060"), refused.text());

        budget["memoryBudget"] = "9GiB";
        QVERIFY2(plannedFor("RTX 4060", budget).names("7.4 GiB of RTX 4060"), "");
    }

    void anotherSizeIsThatOfARehearsal() {
        const Answer small = plannedFor("RTX 4060", {{"device", "fake:300MiB"}});
        QVERIFY2(small.status == Status::Ok, small.text());
        QCOMPARE(deviceOf(small.plan).at("capacity"), Json(Bytes{300} * kMiB / 100 * 95));
        QCOMPARE(weightsOf(small.plan), weightsOf(plannedFor("RTX 4060").plan));
        for (const char* device : {"cpu", "cuda", "fake"}) {
            const Answer refused = plannedFor("RTX 4060", {{"device", device}});
            QCOMPARE(refused.status, Status::Invalid);
            QVERIFY2(refused.names("is for no other device"), refused.text());
        }
    }

    void nodesMayComputeElsewhere() {
        const Answer mixed = plannedFor("RTX 4060", {{"policies", {"encode=model@cpu"}}});
        QVERIFY2(mixed.status == Status::Ok, mixed.text());
        QCOMPARE(typesOf(mixed.plan).at("encode").at(1), Json("f32"));
        QCOMPARE(typesOf(mixed.plan).at("denoise").at(1), Json("f16"));
        for (const Json& component : mixed.plan.at("components")) {
            const bool isEncoder = component.at("role") == "text_encoder";
            QCOMPARE(component.at("device"), Json(isEncoder ? "cpu" : "cuda:0"));
        }
    }

    void nothingRunsOnIt() {
        const Json options = {{"as", "RTX 4060"}};
        testing::EventLog log;
        std::string result;
        RunId run = 0;
        const Status status = testing::openModule().runner()->start(
            exampleText("text_to_image"), options.dump(), log, run, result);
        QCOMPARE(status, Status::Invalid);
        const Json issue = Json::parse(result).at("issues").back();
        QCOMPARE(issue.at("code"), Json("card_planned_for"));
        QVERIFY(issue.at("message").get<std::string>().starts_with("RTX 4060 is only planned for"));
        QVERIFY(issue.at("hint").get<std::string>().find("fake:8GiB") != std::string::npos);
        QVERIFY(log.events().empty());
    }

    /// The module knows the cards and the marks: `check` has them too.
    void choicesAreMarkedAsOnTheCard() {
        std::string text;
        Runner& runner = *testing::openModule().runner();
        (void)runner.check(exampleText("text_to_image"), R"({"as": "RTX 4060"})", text);
        QVERIFY(text.find("the denoiser computes in f16") != std::string::npos);
        QCOMPARE(runner.check(
                     exampleText("text_to_image"), R"({"as": "RTX 4060", "exact": true})", text),
                 Status::Invalid);
        (void)runner.check(exampleText("text_to_image"), R"({"as": "GTX 1080 Ti"})", text);
        QVERIFY2(text.find("card_too_old") != std::string::npos, text.c_str());
        QVERIFY2(text.find("compute capability 6.1, LibTorch needs 7.5") != std::string::npos,
                 text.c_str());
    }

    /// `requirements.device_memory` is the least memory of a card on which the preset can be
    /// planned as it is; a preset without it fits all of them.
    void presetsFitTheCardsThatTheyName_data() {
        QTest::addColumn<QString>("id");
        for (const QString& name :
             QDir(testing::sourcePath("resources/presets")).entryList({"*.json"})) {
            QTest::newRow(qPrintable(name.chopped(5))) << name.chopped(5);
        }
    }

    /// Those that name published files with files of the true sizes; on the cards next to the least
    /// memory, and on all where there is time.
    void presetsFitTheCardsThatTheyName() {
        QFETCH(QString, id);
        const QString presets = testing::sourcePath("resources/presets");
        const QByteArray text = testing::contentsOf(presets + "/" + id + ".json");
        const Json preset = Json::parse(text.toStdString()).at("preset");
        const bool namesPublished =
            preset.at("requirements").contains("family") || text.contains(".pth");
        const QString folder = namesPublished ? testing::hollowModelFolder() : presets;
        const Bytes least =
            parseBytes(preset.at("requirements").value("device_memory", "0")).value();
        std::string found;
        Runner& runner = *testing::openModule().runner();
        QCOMPARE(runner.devices(found), Status::Ok);
        const Json cards = Json::parse(found).at("cards");
        Bytes below = 0;
        Bytes above = std::numeric_limits<Bytes>::max();
        for (const Json& card : cards) {
            const auto memory = card.at("memory").get<Bytes>();
            (memory < least ? below : above) =
                memory < least ? std::max(below, memory) : std::min(above, memory);
        }
        for (const Json& card : cards) {
            const auto memory = card.at("memory").get<Bytes>();
            if (!testing::isFullTest() && memory != below && memory != above) {
                continue;
            }
            const Json options = {{"graphFolder", folder.toStdString()}, {"as", card.at("name")}};
            std::string plan;
            const Status status = runner.plan(text.toStdString(), options.dump(), plan);
            const bool fits = memory >= least;
            QVERIFY2(status == (fits ? Status::Ok : Status::Invalid),
                     (card.at("name").get<std::string>() + ": " + plan.substr(0, 400)).c_str());
        }
        QVERIFY(cards.size() >= 10);
    }

    /// By the id of the one for that card, which it replaces.
    void presetsTakeNoMoreTimeThanEarlierOnesForACard_data() {
        testing::addTable<QString, QString, int>(
            {"preset", "card", "batch"},
            {{"sdxl_08gib", "sdxl", "RTX 4060", 1},
             {"sdxl_12gib", "sdxl", "RTX 4070", 2},
             {"sdxl_24gib", "sdxl", "RTX 4090", 4},
             {"hidream_08gib", "hidream_fast", "RTX 4060", 1},
             {"hidream_12gib", "hidream_dev", "RTX 4070", 1},
             {"hidream_16gib", "hidream_full", "RTX 4060 Ti 16GB", 1},
             {"hidream_24gib", "hidream_full", "RTX 4090", 2},
             {"zimage_08gib", "zimage_turbo", "RTX 4060", 1},
             {"zimage_12gib", "zimage_turbo", "RTX 4070", 1},
             {"zimage_16gib", "zimage_turbo", "RTX 4060 Ti 16GB", 1},
             {"flux_12gib", "flux_dev", "RTX 4070", 1},
             {"flux_24gib", "flux_schnell", "RTX 4090", 1}});
    }

    void presetsTakeNoMoreTimeThanEarlierOnesForACard() {
        QFETCH(QString, preset);
        QFETCH(QString, card);
        QFETCH(int, batch);
        const auto graphOf = [](const QString& id) {
            return testing::contentsOf(testing::sourcePath("resources/presets/" + id + ".json"))
                .toStdString();
        };
        Json options = {{"as", card.toStdString()},
                        {"graphFolder", testing::hollowModelFolder().toStdString()}};

        const Answer earlier =
            plannedGraph(graphOf(QString("earlier/") + QTest::currentDataTag()), options);
        options["set"] = Json::array({"latent.batch=" + std::to_string(batch)});
        const Answer now = plannedGraph(graphOf(preset), options);

        QVERIFY2(earlier.status == Status::Ok, earlier.text());
        QVERIFY2(now.status == Status::Ok, now.text());
        const double most = kSameTime * secondsOf(earlier.plan);
        QVERIFY2(secondsOf(now.plan) <= most, qPrintable(QString::number(secondsOf(now.plan))));
        QVERIFY(deviceOf(now.plan).at("peak") <= deviceOf(now.plan).at("capacity"));
    }

    void theCommandPrintsIt() {
        const CommandResult plan =
            runLowtide({"plan", exampleGraph("text_to_image"), "--as", "RTX 4060"});
        QCOMPARE(plan.exitCode, 0);
        for (const char* words : {"cuda:0, planned for RTX 4060: ",
                                  "estimates: seconds; workspaces of convolutions (up to ",
                                  "what driver and CUDA keep (640.0 MiB)",
                                  "cpu: "}) {
            QVERIFY2(plan.output.contains(words), qPrintable(plan.output));
        }
        QVERIFY2(plan.errors.contains("note: denoise.precision"), qPrintable(plan.errors));
        qInfo("%s", qPrintable(plan.output));
        qInfo("with the start of the program: %.2f s", plan.seconds);
        QVERIFY(plan.seconds < kPatience * kGoalSeconds);
    }

    void theCommandNamesTheNearest() {
        const CommandResult wrong =
            runLowtide({"plan", exampleGraph("text_to_image"), "--as", "RTX 4065"});
        QCOMPARE(wrong.exitCode, 2);
        QVERIFY2(wrong.errors.contains("card \"RTX 4065\": no card of that name is known"),
                 qPrintable(wrong.errors));
        QVERIFY2(wrong.errors.contains("did you mean RTX 4060"), qPrintable(wrong.errors));
        const CommandResult run =
            runLowtide({"run", exampleGraph("text_to_image"), "--as", "RTX 4060"});
        QCOMPARE(run.exitCode, 2);
    }

    void theCommandListsCards() {
        const CommandResult list = runLowtide({"devices", "--cards"});
        QCOMPARE(list.exitCode, 0);
        QVERIFY2(list.output.contains(QRegularExpression(
                     "\nRTX 4060 +8\\.9 +8\\.0 GiB +7\\.4 GiB +272 +15\\.75 +15\\.1 +30\\.2")),
                 qPrintable(list.output));
        QVERIFY2(list.output.contains("GTX 1060 6GB has compute capability 6.1, LibTorch needs"),
                 qPrintable(list.output));
        const CommandResult json = runLowtide({"devices", "--cards", "--json"});
        const Json cards = Json::parse(json.output.toStdString());
        QVERIFY(cards.size() >= 10);
        QVERIFY(cards.at(0).contains("source"));
    }
};

LOWTIDE_TEST(PlanForCardTest)

}  // namespace plan_for_card_test

#include "plan_for_card_test.moc"
