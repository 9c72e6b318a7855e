#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "plugin/host_api/qt_entry.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <cstdio>
#include <fstream>

namespace {

using lowtide::Json;

/// What a host may know before it maps anything: all of it from the module that was just built.
Json metadataOf(const lowtide::Plugin& plugin) {
    const Json info = lowtide::parseJson(plugin.info(), "the plugin's info");
    Json nodes = Json::array();
    for (const lowtide::NodeDesc& node : plugin.nodes()) {
        nodes.push_back({{"id", node.id},
                         {"label", node.label},
                         {"category", node.category},
                         {"version", node.version}});
    }
    return {{"id", info.at("id")},
            {"name", info.at("name")},
            {"version", info.at("version")},
            {"license", info.at("license")},
            {"torch", info.at("torch")},
            {"abi", lowtide::kAbi},
            {"api", lowtide::kQtApi},
            {"toolchain", lowtide::kHostToolchain},
            {"requires", {{"libtorch", info.at("torch")}, {"system", "linux-x86_64"}}},
            {"nodes", std::move(nodes)}};
}

}  // namespace

/// write_metadata FILE: writes the Qt plugin's metadata; a step of the build.
int main(int count, char** arguments) {
    try {
        const lowtide::Plugin& plugin = lowtide::loader::startPlugin({});
        std::ofstream file(count == 2 ? arguments[1] : "");
        file << metadataOf(plugin).dump(2) << "\n";
        file.close();
        if (file) {
            return 0;
        }
        std::fprintf(stderr, "write_metadata: the metadata cannot be written; give a FILE\n");
    } catch (const lowtide::Error& error) {
        std::fprintf(
            stderr, "write_metadata: %s\n  %s\n", error.what(), error.hint().str().c_str());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "write_metadata: %s\n", error.what());
    }
    return 1;
}
