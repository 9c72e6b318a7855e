#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/printed_text.hpp"
#include "plugin/base/text.hpp"
#include "plugin/graph/preset.hpp"
#include "ui/loader/os.hpp"
#include "ui/loader/plugin_loader.hpp"

#include <array>
#include <cstdio>
#include <filesystem>

namespace lowtide::cli {

namespace {

/// A preset and whether it came with the program.
struct ListedPreset {
    graph::PresetFile file;
    bool isBuiltin = false;
};

/// The user's own, then those that came with the program.
std::array<std::string, 2> presetFolders() {
    const std::string own = loader::userDataFolder();
    return {own.empty() ? own : own + "/presets", loader::resourcesFolder() + "/presets"};
}

std::vector<ListedPreset> presets() {
    std::vector<ListedPreset> listed;
    const auto folders = presetFolders();
    for (size_t i = 0; i < folders.size(); ++i) {
        for (graph::PresetFile& file : graph::presetsOf(folders[i])) {
            listed.push_back({.file = std::move(file), .isBuiltin = i == 1});
        }
    }
    return listed;
}

Json jsonOf(const ListedPreset& listed) {
    const graph::Preset& preset = listed.file.preset;
    Json json = {{"id", listed.file.id},
                 {"title", listed.file.title()},
                 {"description", preset.description},
                 {"tags", preset.tags},
                 {"files", preset.files},
                 {"device_memory", preset.deviceMemory},
                 {"builtin", listed.isBuiltin}};
    if (listed.file.refusal) {
        json["problem"] = listed.file.refusal->message().str();
    }
    return json;
}

/// ", cards from 8GiB"; empty: any.
std::string cardText(const graph::Preset& preset) {
    return preset.deviceMemory.empty() ? "" : ", cards from " + preset.deviceMemory;
}

bool looksLikeFile(const std::string& typed) {
    return typed.find('/') != std::string::npos || typed.ends_with(".json");
}

}  // namespace

Status listPresets(bool json) {
    Json list = Json::array();
    for (const ListedPreset& listed : presets()) {
        if (json) {
            list.push_back(jsonOf(listed));
        } else if (listed.file.refusal) {
            printError(*listed.file.refusal);
        } else {
            std::printf("%-28s %s%s%s\n  %s\n",
                        listed.file.id.c_str(),
                        listed.file.title().c_str(),
                        listed.isBuiltin ? "" : " (your own)",
                        cardText(listed.file.preset).c_str(),
                        listed.file.preset.description.c_str());
        }
    }
    if (json) {
        printJson(list);
    }
    return Status::Ok;
}

std::string graphFileOf(const std::string& typed) {
    std::error_code ignored;
    if (std::filesystem::exists(typed, ignored) || looksLikeFile(typed)) {
        return typed;
    }
    const graph::PresetFile preset = graph::findPreset(typed, presetFolders());
    if (preset.refusal) {
        throw *preset.refusal;
    }
    return preset.path;
}

}  // namespace lowtide::cli
