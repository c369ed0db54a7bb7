"""A real llama.cpp server with a generated model of two megabytes.

The model is a table: the last token decides the next one. With tools it calls `write_file` once, and after the result it
writes one sentence: a whole tool loop against real software, without weights to download.

Writes the model into a temporary folder, serves it at the port given as argument, or at a free one, prints
`listening at ADDRESS`, and exits when its standard input ends.
Needs the packages of requirements.txt in this folder.
"""

import pathlib
import sys
import tempfile

import gguf
import numpy
import xllamacpp

# The output of the model, token by token. Each token is unique, because it alone decides the next one.
SENTENCE = ["▁I", "▁wrote", "▁it,", "▁said", "▁the", "▁tiny", "▁model", "."]
CALL = [
    "<tool_call>",
    '\n{"name":',
    '▁"write_file",',
    '▁"arguments":',
    '▁{"name":▁"tiny.txt",',
    '▁"content":',
    '▁"made▁by▁a▁real▁server"}}',
    "\n</tool_call>",
]
# The last byte of the prompt selects one of the two.
TEMPLATE = """
{%- if tools %}{% for tool in tools %}{{ tool | tojson }}{% endfor %}
{{- ' Call them as <tool_call>{"name": ..., "arguments": ...}</tool_call>' }}{% endif %}
{%- for message in messages %}{{ '<|im_start|>' + message.role + '\\n' }}
{%- if message.content %}{{ message.content }}{% endif %}
{%- for call in message.tool_calls or [] %}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments | tojson }}{{ '}\\n</tool_call>' }}{% endfor %}
{{- '<|im_end|>\\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant' }}
{%- if tools and messages[-1].role != 'tool' %}{{ '?' }}{% else %}{{ '\\n' }}{% endif %}{% endif %}
""".strip()

END = 2
WIDTH = 320
INNER = 32


def write_model(path):
    """A llama with one layer that adds nothing: embeddings are one-hot, the output is the table of next tokens."""
    normal, unknown, control, byte = 1, 2, 3, 6
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{code:02X}>" for code in range(256)] + ["▁"] + SENTENCE + CALL
    kinds = [unknown, control, control] + [byte] * 256 + [normal] * (1 + len(SENTENCE) + len(CALL))
    scores = [0.0] * 259 + [-1.0] + [-2.0] * (len(SENTENCE) + len(CALL))
    follows = {token: tokens.index(SENTENCE[0]) for token in range(len(tokens))}
    for text in (SENTENCE, CALL):
        places = [tokens.index(piece) for piece in text] + [END]
        follows.update(zip(places, places[1:]))
    follows[tokens.index("<0x3F>")] = tokens.index(CALL[0])

    model = gguf.GGUFWriter(path, "llama")
    model.add_context_length(32768)
    model.add_embedding_length(WIDTH)
    model.add_block_count(1)
    model.add_feed_forward_length(INNER)
    model.add_head_count(2)
    model.add_head_count_kv(2)
    model.add_layer_norm_rms_eps(1e-6)
    model.add_rope_dimension_count(WIDTH // 2)
    model.add_vocab_size(len(tokens))
    model.add_tokenizer_model("llama")
    model.add_token_list(tokens)
    model.add_token_scores(scores)
    model.add_token_types(kinds)
    model.add_bos_token_id(1)
    model.add_eos_token_id(END)
    model.add_unk_token_id(0)
    model.add_chat_template(TEMPLATE)

    def nothing(*shape):
        return numpy.zeros(shape, numpy.float32)

    embedding, output = nothing(len(tokens), WIDTH), nothing(len(tokens), WIDTH)
    for token, following in follows.items():
        embedding[token, token] = 1
        output[following, token] = 1
    model.add_tensor("token_embd.weight", embedding)
    model.add_tensor("output.weight", output)
    model.add_tensor("output_norm.weight", numpy.ones(WIDTH, numpy.float32))
    model.add_tensor("blk.0.attn_norm.weight", numpy.ones(WIDTH, numpy.float32))
    model.add_tensor("blk.0.ffn_norm.weight", numpy.ones(WIDTH, numpy.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        model.add_tensor(f"blk.0.{name}.weight", nothing(WIDTH, WIDTH))
    model.add_tensor("blk.0.ffn_gate.weight", nothing(INNER, WIDTH))
    model.add_tensor("blk.0.ffn_up.weight", nothing(INNER, WIDTH))
    model.add_tensor("blk.0.ffn_down.weight", nothing(WIDTH, INNER))
    model.write_header_to_file()
    model.write_kv_data_to_file()
    model.write_tensors_to_file()
    model.close()


def main():
    with tempfile.TemporaryDirectory() as folder:
        serve(pathlib.Path(folder) / "tiny.gguf")


def serve(path):
    write_model(path)
    wishes = xllamacpp.CommonParams()
    wishes.model.path = str(path)
    wishes.n_ctx = 32768
    wishes.n_parallel = 1
    wishes.port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    wishes.use_jinja = True
    wishes.warmup = False
    wishes.cpuparams.n_threads = 1
    server = xllamacpp.Server(wishes)
    print(f"listening at {server.listening_address}", flush=True)
    sys.stdin.read()


main()
