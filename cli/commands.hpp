#pragma once

#include "plugin/base/json_fwd.hpp"
#include "plugin/base/message.hpp"
#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"
#include "plugin/host_api/runner.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lowtide::cli {

/// What the commands that take a graph have in common.
struct GraphArguments {
    std::string graph;
    std::vector<std::string> set;         ///< node.param=value
    std::vector<std::string> policies;    ///< node[.component]=policy
    std::vector<std::string> until;       ///< nodes with which the run ends; empty: the outputs
    std::vector<std::string> precisions;  ///< node=precision
    bool exact = false;                   ///< lossy choices are refused
    std::string device;
    std::string memoryBudget;               ///< a size; empty: the graph's
    std::string as;                         ///< the card that a plan is for; empty: none
    std::vector<std::string> modelFolders;  ///< folders and extra_model_paths.yaml files
    std::string wildcards;                  ///< a folder; empty: the studio's
    bool literal = false;                   ///< nothing is drawn in prompts
    int threads = 0;
    std::string cudnnApi = "auto";  ///< auto, v7, v8
};

struct RunArguments : GraphArguments {
    std::string out = ".";
    int repeat = 1;
    std::string dump;
    std::string report;
    std::string timeline;
    bool events = false;
    std::optional<int> collectionThreshold;  ///< percent
    std::string lowMemory;                   ///< auto, on, off; empty: the graph's
    std::string log = "warning";
};

struct CompareArguments : GraphArguments {
    std::vector<std::string> vary;  ///< node.param=a,b,c
    std::string out = "comparison";
    int repeat = 1;
    bool json = false;
    bool sensitivity = false;  ///< measure the checkpoint's instead of comparing images
    bool again = false;        ///< sensitivities that are known too
};

struct CalibrateCacheArguments : GraphArguments {
    std::string node;  ///< the denoiser; empty: the only one
    std::vector<uint64_t> seeds;
    std::vector<uint64_t> heldOut;
    double tolerance = 0.06;  ///< most that a held-out ratio may differ from the curve's, relative
    std::string out;
    bool json = false;
};

struct ImportArguments {
    std::string file;
    std::string out;
    std::string report;
    std::vector<std::string> modelFolders;  ///< in which its models are looked for
    std::string coverage;                   ///< a folder of workflows, instead of a file
    bool json = false;
};

struct ExportArguments : GraphArguments {
    std::string out;
    bool workflow = false;  ///< what the editor opens, in place of what the server takes
};

struct ServeArguments {
    std::optional<uint16_t> port;  ///< 0: a free one; nothing: kUsualPort, unless there is a socket
    std::string socket;            ///< path of a Unix socket; empty: none
    std::string listen = "127.0.0.1";
    std::string out = ".";
    std::string token;  ///< empty: a new one
    bool exitWithParent = false;
    std::vector<std::string> modelFolders;
    int threads = 0;
    std::string log = "warning";
};

struct ConvertArguments {
    std::string checkpoint;
    std::string storage;
    std::string out;
    bool json = false;
};

Status runGraph(const RunArguments& arguments);
/// Of a file of weights or a folder with one checkpoint: what it is; Invalid where it is not run.
Status checkGraph(const GraphArguments& arguments);
Status planGraph(const GraphArguments& arguments, bool json);
/// Runs every combination of the varied values and reports how its images, time and latents differ
/// from those of the first one; next to each, what fewer steps give in its time.
Status compareVariants(const CompareArguments& arguments);
/// Measures how far lossy choices take the network of a sampling node from its exact predictions,
/// call by call along an exact run, and keeps that by the hash of its files. The choices: every
/// preset, types and step cache, or those that the varied parameters of the graph's step cache
/// make.
Status measureSensitivity(const CompareArguments& arguments);
Status listNodes(bool json);
Status listDevices(bool json);
/// The cards that plans may be for.
Status listCards(bool json);
/// Presets with what they need; one that cannot be read is named with the reason.
Status listPresets(bool json);
/// Measures a device ("": the cpu) with so many threads (0: as many as there are physical cores).
Status calibrateDevice(const std::string& device, int threads, bool json);
/// Makes a curve for the block cache: records runs with the seeds, checks it on the held-out ones,
/// writes the file.
Status calibrateCache(const CalibrateCacheArguments& arguments);
/// Makes a graph of a workflow or of settings of another program, or reports how much of each of a
/// folder's workflows can be made.
Status importGraph(const ImportArguments& arguments);
/// Writes a graph as ComfyUI's. Error{InvalidInput} names the nodes that have no counterpart there.
Status exportGraph(const ExportArguments& arguments);
/// Writes a checkpoint again in another storage and reports what that cost.
Status convertCheckpoint(const ConvertArguments& arguments);
/// Serves HTTP until it is asked to stop. Prints where, and the token.
Status serve(const ServeArguments& arguments);
Status printReport(const std::string& path);

/// The file that a user named: a graph's, or that of a preset by its id or title. Error{NotFound}
/// names the nearest preset; one that cannot be read is refused as graph::readPreset does.
[[nodiscard]] std::string graphFileOf(const std::string& typed);
/// The text of a graph file, of the graph in an image, or of a preset; of an image or a video of
/// another program what it carries for an import. Error{NotFound} or Error{Corrupt} names the
/// file.
[[nodiscard]] std::string readGraph(const std::string& path);
/// A path for the module's JSON; `what`: "the folder for images". Error{InvalidInput} when a part
/// of it is not UTF-8.
[[nodiscard]] std::string modulePath(const std::filesystem::path& path, const Message& what);
/// Options of Runner calls for these arguments.
[[nodiscard]] Json optionsOf(const GraphArguments& arguments);
/// Of a run that ends with the node, for a document with the values in place (documentOf).
[[nodiscard]] Json optionsUpTo(const std::string& node, const GraphArguments& arguments);
/// The graph of the text with the values, policies and precisions of the arguments.
[[nodiscard]] graph::Document documentOf(const std::string& text,
                                         const graph::Catalog& catalog,
                                         const GraphArguments& arguments);
/// Prints issues, one paragraph each, on standard error.
void printIssues(const Json& issues);

}  // namespace lowtide::cli
