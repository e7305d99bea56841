// Agents on the clients of npm: `node agent.mjs VARIANT`, one JSON line with the task on standard input.
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import OpenAI from 'openai';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const task = JSON.parse(Buffer.concat(chunks).toString());
const env = process.env;

const schema = (name, description, types) => ({
  name,
  description,
  parameters: {
    type: 'object',
    properties: Object.fromEntries(Object.entries(types).map(([key, type]) => [key, { type }])),
    required: Object.keys(types),
  },
});
const SCHEMAS = [
  schema('crm_lookup', 'Find a subscription', { email: 'string' }),
  schema('billing_pause', 'Pause a subscription', { account_id: 'string', months: 'integer', idempotency_key: 'string' }),
  schema('billing_get_operation', 'Read an operation back', { operation_id: 'string' }),
];

const call = async (name, args) => {
  const response = await fetch(`${env.REPLAY_BASE_URL}/tools/${name}`, { method: 'POST', body: JSON.stringify(args) });
  const found = await response.json();
  return JSON.stringify(found.outcome === 'ok' ? found.result : found);
};

const chat = async (streaming, run = call) => {
  const client = new OpenAI();
  const messages = [...task.messages];
  for (;;) {
    const asked = { model: 'gpt-x', messages, tools: SCHEMAS.map((s) => ({ type: 'function', function: s })) };
    const reply = streaming
      ? await client.chat.completions.stream(asked).finalChatCompletion()
      : await client.chat.completions.create(asked);
    const message = reply.choices[0].message;
    if (!message.tool_calls?.length) return message.content;
    messages.push(message);
    for (const c of message.tool_calls) {
      const content = await run(c.function.name, JSON.parse(c.function.arguments));
      messages.push({ role: 'tool', tool_call_id: c.id, content });
    }
  }
};

const responses = async (streaming) => {
  const client = new OpenAI();
  const input = [...task.messages];
  for (;;) {
    const asked = { model: 'gpt-x', input, tools: SCHEMAS.map((s) => ({ type: 'function', ...s })) };
    const reply = streaming ? await client.responses.stream(asked).finalResponse() : await client.responses.create(asked);
    const calls = reply.output.filter((item) => item.type === 'function_call');
    if (!calls.length) return reply.output_text;
    input.push(...reply.output);
    for (const c of calls) {
      const output = await call(c.name, JSON.parse(c.arguments));
      input.push({ type: 'function_call_output', call_id: c.call_id, output });
    }
  }
};

const messages = async (streaming) => {
  const client = new Anthropic();
  const said = task.messages.filter((m) => m.role !== 'system');
  const system = task.messages.filter((m) => m.role === 'system').map((m) => m.content).join(' ');
  const tools = SCHEMAS.map((s) => ({ name: s.name, description: s.description, input_schema: s.parameters }));
  for (;;) {
    const asked = { model: 'claude-x', max_tokens: 500, system, messages: said, tools };
    const reply = streaming ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked);
    const calls = reply.content.filter((block) => block.type === 'tool_use');
    if (!calls.length) return reply.content.map((block) => block.text ?? '').join('');
    said.push({ role: 'assistant', content: reply.content });
    const content = [];
    for (const c of calls) content.push({ type: 'tool_result', tool_use_id: c.id, content: await call(c.name, c.input) });
    said.push({ role: 'user', content });
  }
};

const byMcp = async (transport) => {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(transport);
  const offered = await client.listTools();
  if (!offered.tools.some((t) => t.name === 'crm_lookup')) throw new Error('the tool is not offered');
  const text = await chat(false, async (name, args) => (await client.callTool({ name, arguments: args })).content[0].text);
  await client.close();
  return text;
};

const spawned = () => {
  const [command, ...args] = env.REPLAY_MCP_COMMAND.split(' ');
  return new StdioClientTransport({ command, args, env });
};

const ai = async (model, streaming) => {
  const tools = Object.fromEntries(
    SCHEMAS.map((s) => [
      s.name,
      tool({ description: s.description, inputSchema: jsonSchema(s.parameters), execute: (args) => call(s.name, args) }),
    ]),
  );
  const asked = { model, tools, messages: task.messages, stopWhen: stepCountIs(9), allowSystemInMessages: true };
  if (!streaming) return (await generateText(asked)).text;
  const run = streamText(asked);
  for await (const part of run.textStream) if (typeof part !== 'string') throw new Error('a part is no text');
  return run.text;
};
const openai = createOpenAI({ baseURL: env.OPENAI_BASE_URL });
const anthropic = createAnthropic({ baseURL: `${env.ANTHROPIC_BASE_URL}/v1` });

const VARIANTS = {
  'openai-chat': () => chat(false),
  'openai-chat-streaming': () => chat(true),
  'openai-responses': () => responses(false),
  'openai-responses-streaming': () => responses(true),
  'anthropic-messages': () => messages(false),
  'anthropic-messages-streaming': () => messages(true),
  'mcp-http': () => byMcp(new StreamableHTTPClientTransport(new URL(env.REPLAY_MCP_URL))),
  'mcp-stdio': () => byMcp(spawned()),
  'ai-chat': () => ai(openai.chat('gpt-x'), false),
  'ai-chat-streaming': () => ai(openai.chat('gpt-x'), true),
  'ai-responses': () => ai(openai('gpt-x'), false),
  'ai-responses-streaming': () => ai(openai('gpt-x'), true),
  'ai-messages': () => ai(anthropic('claude-x'), false),
  'ai-messages-streaming': () => ai(anthropic('claude-x'), true),
};
const text = await VARIANTS[process.argv[2]]();
process.stdout.write(`${JSON.stringify({ text })}\n`, () => process.exit(0));
