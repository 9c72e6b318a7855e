#include "plugin/interop/settings_graph.hpp"

#include "plugin/base/text.hpp"

#include <string>
#include <utility>

namespace lowtide::interop {

namespace {

constexpr const char* kLoader = "load";
constexpr const char* kSampler = "denoise";

/// The settings as the workflow of ComfyUI that does the same, so that one table maps both.
class SettingsPrompt {
public:
    SettingsPrompt(const ImageSettings& settings, const SamplerNames::Known& names)
        : settings_(settings), names_(names) {}

    Prompt make() {
        Socket model{kLoader, 0}, clip{kLoader, 1}, vae{kLoader, 2};
        if (settings_.modules.empty()) {
            add(kLoader, "CheckpointLoaderSimple", {}, {{"ckpt_name", settings_.model}});
        } else {
            add(kLoader, "UNETLoader", {}, {{"unet_name", settings_.model}});
            clip = {"text_encoder", 0};
        }
        const std::string autoencoder = addModules();
        if (!autoencoder.empty()) {
            add("autoencoder", "VAELoader", {}, {{"vae_name", autoencoder}});
            vae = {"autoencoder", 0};
        }
        for (size_t i = 0; i < settings_.loras.size(); ++i) {
            const std::string id = "lora_" + std::to_string(i + 1);
            add(id,
                "LoraLoader",
                {{"model", model}, {"clip", clip}},
                {{"lora_name", settings_.loras[i].name},
                 {"strength_model", settings_.loras[i].strength},
                 {"strength_clip", settings_.loras[i].strength}});
            model = {id, 0};
            clip = {id, 1};
        }
        if (settings_.clipSkip && *settings_.clipSkip > 1) {
            add("clip_skip",
                "CLIPSetLastLayer",
                {{"clip", clip}},
                {{"stop_at_clip_layer", -*settings_.clipSkip}});
            clip = {"clip_skip", 0};
        }
        add("prompt", "CLIPTextEncode", {{"clip", clip}}, {{"text", settings_.prompt}});
        add("negative", "CLIPTextEncode", {{"clip", clip}}, {{"text", settings_.negative}});
        addImage(model, vae);
        return std::move(prompt_);
    }

private:
    /// Loads the text encoders among Forge's modules. The autoencoder; empty: the model's own.
    std::string addModules() {
        std::string autoencoder = settings_.autoencoder;
        Json encoders = Json::object();
        for (const std::string& module : settings_.modules) {
            const std::string name = toLower(module);
            if (name.starts_with("ae") || name.find("vae") != std::string::npos) {
                autoencoder = module;
            } else {
                encoders["clip_name" + std::to_string(encoders.size() + 1)] = module;
            }
        }
        if (encoders.size() == 1) {
            add("text_encoder", "CLIPLoader", {}, {{"clip_name", encoders["clip_name1"]}});
        } else if (!encoders.empty()) {
            add("text_encoder", "QuadrupleCLIPLoader", {}, encoders);
        }
        return autoencoder;
    }

    void addImage(const Socket& model, const Socket& vae) {
        Json size = Json::object(), sampling = Json::object();
        put(size, "width", settings_.widthPixels);
        put(size, "height", settings_.heightPixels);
        add("latent", "EmptyLatentImage", {}, size);
        put(sampling, "steps", settings_.steps);
        put(sampling, "cfg", settings_.cfg);
        put(sampling, "seed", settings_.seed);
        if (!names_.sampler.empty()) {
            sampling["sampler_name"] = names_.sampler;
        }
        if (!names_.schedule.empty()) {
            sampling["scheduler"] = names_.schedule;
        }
        add(kSampler,
            "KSampler",
            {{"model", model},
             {"positive", {"prompt", 0}},
             {"negative", {"negative", 0}},
             {"latent_image", {"latent", 0}}},
            sampling);
        add("decode", "VAEDecode", {{"samples", {kSampler, 0}}, {"vae", vae}}, Json::object());
        add("save", "SaveImage", {{"images", {"decode", 0}}}, Json::object());
    }

    template <class Value>
    static void put(Json& values, const char* name, const std::optional<Value>& value) {
        if (value) {
            values[name] = *value;
        }
    }

    void add(const std::string& id,
             const char* type,
             const std::map<std::string, Socket>& wires,
             const Json& values) {
        PromptNode node;
        node.type = type;
        for (const auto& [name, value] : values.items()) {
            node.inputs[name] = {.from = std::nullopt, .value = value};
        }
        for (const auto& [name, socket] : wires) {
            node.inputs[name] = {.from = socket, .value = {}};
        }
        prompt_.nodes.emplace(id, std::move(node));
    }

    const ImageSettings& settings_;
    const SamplerNames::Known& names_;
    Prompt prompt_;
};

/// What differs between programs once the graph is there.
void adjust(const ImageSettings& settings, graph::Document& document) {
    const ForeignProgram program = settings.program;
    for (auto& [id, node] : document.nodes) {
        if (node.type == "prompt.encode" && program != ForeignProgram::SwarmUi) {
            node.params["weights"] = program == ForeignProgram::InvokeAi ? "compel" : "a1111";
            node.params["loras"] = program == ForeignProgram::A1111;
        }
        if (node.type == "prompt.encode" && settings.guidance) {
            node.params["guidance"] = *settings.guidance;
        }
        if (node.type == "denoise.sample" && program != ForeignProgram::SwarmUi) {
            node.params.erase("noise");
        }
    }
}

/// Where the studio looks for the model by its hash: by the file that the graph names.
void keepHash(const std::string& hash, graph::Document& document) {
    const auto loader = document.nodes.find(kLoader);
    const Json* file =
        loader == document.nodes.end() || !loader->second.params.contains("checkpoint")
            ? nullptr
            : &loader->second.params["checkpoint"];
    if (!hash.empty() && file != nullptr && file->is_string()) {
        document.extra["model_hashes"][file->get<std::string>()] = hash;
    }
}

SamplerNames::Known namesFor(const ImageSettings& settings, const SamplerNames& names) {
    SamplerNames::Known known = names.find(settings.sampler, settings.schedule);
    const bool speaksComfy =
        settings.program == ForeignProgram::SwarmUi || settings.program == ForeignProgram::Fooocus;
    if (speaksComfy) {
        known = {.sampler = settings.sampler, .schedule = settings.schedule};
    }
    return known;
}

std::vector<Message> nearReasons(const ImageSettings& settings, const SamplerNames::Known& known) {
    std::vector<Message> why;
    if (known.sampler.empty() && !settings.sampler.empty()) {
        why.push_back(message("the sampler \"{}\" is not known here", settings.sampler));
    }
    if (known.schedule.empty() && !settings.schedule.empty()) {
        why.push_back(message("the schedule \"{}\" is not known here", settings.schedule));
    }
    if (settings.strength && *settings.strength < 1) {
        why.push_back(message("it began with another image, which is not in the file"));
    }
    if (settings.program != ForeignProgram::SwarmUi) {
        why.push_back(message("{} draws noise in its own way, so the image is another one",
                              nameOf(settings.program)));
    }
    return why;
}

}  // namespace

Imported translateSettings(const ImageSettings& settings,
                           const SamplerNames& names,
                           const ImportNeeds& needs) {
    const SamplerNames::Known known = namesFor(settings, names);
    Imported imported = translatePrompt(SettingsPrompt(settings, known).make(), needs);
    adjust(settings, imported.document);
    keepHash(settings.modelHash, imported.document);
    ImportReport& report = imported.report;
    report.source = std::string(nameOf(settings.program)) + " settings";
    report.exact.clear();
    for (const std::string& name : settings.taken) {
        report.exact.push_back({.kind = "setting", .name = name});
    }
    for (const std::string& name : settings.others) {
        report.leftOut.push_back(
            {.kind = "setting", .name = name, .why = {message("no node here is given it")}});
    }
    if (std::vector<Message> why = nearReasons(settings, known); !why.empty()) {
        report.near.push_back({.kind = "setting", .name = "Sampler", .why = std::move(why)});
    }
    return imported;
}

}  // namespace lowtide::interop
