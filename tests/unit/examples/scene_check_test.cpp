#include "plugin/base/error.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/examples/canvas_states.hpp"

#include <QtTest/QtTest>

#include <functional>

#include "examples/qtnodes_host/adapter/scene_check.hpp"

namespace scene_check_test {

using namespace lowtide;
using namespace lowtide::qtnodes_host;

using Change = std::function<void(Json&)>;

class SceneCheckTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void takesASceneAndItsOlderKey() {
        Json older = scene();
        older["connections"][0].erase("inNodeId");
        older["connections"][0]["intNodeId"] = 1;

        checkScene(scene(), types());
        checkScene(older, types());
        checkScene({{"nodes", Json::array()}, {"connections", Json::array()}}, types());
    }

    void refusesBeforeAnythingIsOpened_data() {
        const testing::Rows<Change, QByteArray> add("change", "reported");
        const auto row = [&](const char* name, const char* reported, Change change) {
            add(name, change, QByteArray(reported));
        };

        row("a text", "no list \"nodes\"", [](Json& s) { s = "scene"; });
        row("no wires", "no list \"connections\"", [](Json& s) { s.erase("connections"); });
        row("a node that is a number", "internal-data", [](Json& s) { s["nodes"][0] = 7; });
        row("an unknown type", "\"of.tomorrow\"", [](Json& s) {
            s["nodes"][0]["internal-data"]["model-name"] = "of.tomorrow";
        });
        row("broken values", "saved node", [](Json& s) {
            s["nodes"][0]["internal-data"][kStateKey] = "{";
        });
        row("values of another type", "\"model.patch\"", [](Json& s) {
            s["nodes"][0]["internal-data"][kStateKey] = s["nodes"][1]["internal-data"][kStateKey];
        });
        row("no id", "\"id\"", [](Json& s) { s["nodes"][0].erase("id"); });
        row("half an id", "\"id\"", [](Json& s) { s["nodes"][0]["id"] = 0.5; });
        row("a huge id", "\"id\"", [](Json& s) { s["nodes"][0]["id"] = 3e9; });
        row("an id twice", "two nodes", [](Json& s) { s["nodes"][1]["id"] = 0; });
        row("a wire into nothing", "node 9", [](Json& s) { s["connections"][0]["inNodeId"] = 9; });
        row("a wire from nothing", "node 9", [](Json& s) { s["connections"][0]["outNodeId"] = 9; });
        row("a wire that is a list", "wire 1", [](Json& s) { s["connections"][0] = {1}; });
        row("a port that is not there", "wire 3", [](Json& s) {
            s["connections"][2]["inPortIndex"] = 5;
        });
        row("a port below zero", "inPortIndex", [](Json& s) {
            s["connections"][2]["inPortIndex"] = -1;
        });
        row("another type of wire", "wire 3", [](Json& s) {
            s["connections"][2]["inPortIndex"] = 1;
        });
        row("a circle", "wire 1", [](Json& s) { s["connections"][0]["outNodeId"] = 1; });
        row("two wires into one input", "one already", [](Json& s) {
            s["connections"].push_back(s["connections"][0]);
        });
    }

    void refusesBeforeAnythingIsOpened() {
        QFETCH(Change, change);
        QFETCH(QByteArray, reported);
        Json changed = scene();
        change(changed);

        try {
            checkScene(changed, types());
            QFAIL("it was taken");
        } catch (const Error& error) {
            QVERIFY2(QByteArray(error.what()).contains(reported), error.what());
        }
    }

private:
    Json scene() const {
        const auto node = [this](int id, const char* type) -> Json {
            return {
                {"id", id},
                {"internal-data", {{"model-name", type}, {kStateKey, canvas_.add(type)->save()}}},
                {"position", {{"x", 0}, {"y", 0}}}};
        };
        const auto wire = [](int from, int to, int input) -> Json {
            return {
                {"outNodeId", from}, {"outPortIndex", 0}, {"inNodeId", to}, {"inPortIndex", input}};
        };
        return {{"nodes",
                 {node(0, "load.checkpoint"),
                  node(1, "model.patch"),
                  node(2, "model.patch"),
                  node(7, "decode.image")}},
                {"connections", {wire(0, 1, 0), wire(1, 2, 0), wire(2, 7, 0)}}};
    }

    TypesByName types() const {
        TypesByName byName;
        for (const NodeDesc& desc : canvas_.types()) {
            byName[desc.id] = &desc;
        }
        return byName;
    }

    const CanvasStates canvas_;
};

LOWTIDE_TEST(SceneCheckTest)

}  // namespace scene_check_test

#include "scene_check_test.moc"
